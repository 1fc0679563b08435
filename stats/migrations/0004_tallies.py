import django.db.models.deletion
from django.db import migrations, models


def tally_what_was_played(apps, schema_editor):
    """Plays that are there already are rated again, and tallied, by the next fold."""
    first_days = apps.get_model('plays', 'Play').objects.values('club', 'game').annotate(since=models.Min('played_on'))
    due = apps.get_model('stats', 'RatingDue').objects
    due.all().delete()
    due.bulk_create(due.model(club_id=row['club'], game=row['game'], since=row['since']) for row in first_days)


class Migration(migrations.Migration):

    dependencies = [
        ('clubs', '0003_invitations_seasons_merges'),
        ('stats', '0003_leagues'),
    ]

    operations = [
        migrations.CreateModel(
            name='Tally',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('game', models.CharField(max_length=30)),
                ('edition', models.CharField(max_length=30)),
                ('variant', models.CharField(max_length=40)),
                ('player_count', models.PositiveSmallIntegerField()),
                ('plays', models.IntegerField()),
                ('wins', models.IntegerField(help_text='Alone')),
                ('shared_wins', models.IntegerField()),
                ('credit', models.IntegerField()),
                ('totals', models.IntegerField(help_text='Their sum')),
                ('squares', models.BigIntegerField(help_text='Sum of the totals’ squares')),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='clubs.player')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('player', 'game', 'edition', 'variant', 'player_count'), name='tally_once_a_kind'), models.CheckConstraint(condition=models.Q(('plays__gte', 1)), name='tally_has_plays')],
            },
        ),
        migrations.RunPython(tally_what_was_played, migrations.RunPython.noop),
    ]
