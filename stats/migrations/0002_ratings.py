import django.db.models.deletion
from django.db import migrations, models


def rate_what_was_played(apps, schema_editor):
    """Plays that are there already are rated by the next fold."""
    first_days = apps.get_model('plays', 'Play').objects.values('club', 'game').annotate(since=models.Min('played_on'))
    due = apps.get_model('stats', 'RatingDue').objects
    due.bulk_create(due.model(club_id=row['club'], game=row['game'], since=row['since']) for row in first_days)


class Migration(migrations.Migration):

    dependencies = [
        ('clubs', '0001_initial'),
        ('plays', '0001_initial'),
        ('stats', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='Rating',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('game', models.CharField(max_length=30)),
                ('played_on', models.DateField()),
                ('mu', models.FloatField()),
                ('sigma', models.FloatField()),
                ('play', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='plays.play')),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='clubs.player')),
            ],
            options={
                'indexes': [models.Index(fields=['player', 'game', 'played_on', 'play'], name='rating_over_time')],
                'constraints': [models.UniqueConstraint(fields=('play', 'player'), name='rating_once_a_play'), models.CheckConstraint(condition=models.Q(('sigma__gt', 0)), name='rating_is_unsure')],
            },
        ),
        migrations.CreateModel(
            name='RatingDue',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('game', models.CharField(max_length=30)),
                ('since', models.DateField()),
                ('club', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='clubs.club')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('club', 'game'), name='rating_due_once')],
            },
        ),
        migrations.RunPython(rate_what_was_played, migrations.RunPython.noop),
    ]
