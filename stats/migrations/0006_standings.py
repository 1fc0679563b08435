import django.db.models.deletion
from django.db import migrations, models


def forget_tallies(apps, schema_editor):
    """Tallies have months from here on."""
    apps.get_model('stats', 'Tally').objects.all().delete()


def rate_again(apps, schema_editor):
    """Plays that are there already are rated again, and tallied, by the next fold."""
    first_days = apps.get_model('plays', 'Play').objects.values('club', 'game').annotate(since=models.Min('played_on'))
    due = apps.get_model('stats', 'RatingDue').objects
    due.all().delete()
    due.bulk_create(due.model(club_id=row['club'], game=row['game'], since=row['since']) for row in first_days)


class Migration(migrations.Migration):

    dependencies = [
        ('clubs', '0003_invitations_seasons_merges'),
        ('plays', '0001_initial'),
        ('stats', '0005_priced_tables'),
    ]

    operations = [
        migrations.RunPython(forget_tallies, migrations.RunPython.noop),
        migrations.RemoveConstraint(
            model_name='tally',
            name='tally_once_a_kind',
        ),
        migrations.AddField(
            model_name='tally',
            name='month',
            field=models.DateField(default=None, help_text='Its first day'),
            preserve_default=False,
        ),
        migrations.AddIndex(
            model_name='tally',
            index=models.Index(fields=['game', 'month'], name='tally_of_months'),
        ),
        migrations.AddConstraint(
            model_name='tally',
            constraint=models.UniqueConstraint(fields=('player', 'game', 'edition', 'variant', 'player_count', 'month'), name='tally_once_a_month'),
        ),
        migrations.CreateModel(
            name='Standing',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('game', models.CharField(max_length=30)),
                ('plays', models.IntegerField()),
                ('wins', models.IntegerField(help_text='Alone')),
                ('shared_wins', models.IntegerField()),
                ('credit', models.IntegerField()),
                ('totals', models.IntegerField(help_text='Their sum')),
                ('squares', models.BigIntegerField(help_text='Sum of the totals’ squares')),
                ('edition', models.CharField(blank=True, max_length=30)),
                ('variant', models.CharField(blank=True, max_length=40)),
                ('player_count', models.PositiveSmallIntegerField()),
                ('luck', models.IntegerField()),
                ('adjusted', models.FloatField()),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='clubs.player')),
            ],
            options={
                'indexes': [models.Index(models.F('game'), models.F('edition'), models.F('variant'), models.F('player_count'), models.OrderBy(models.F('adjusted'), descending=True), models.OrderBy(models.F('plays'), descending=True), models.F('player'), name='standing_in_order')],
                'constraints': [
                    models.UniqueConstraint(fields=('player', 'game', 'edition', 'variant', 'player_count'), name='standing_once'),
                    models.CheckConstraint(condition=models.Q(('plays__gte', 1)), name='standing_has_plays'),
                ],
            },
        ),
        migrations.RunPython(rate_again, migrations.RunPython.noop),
    ]
