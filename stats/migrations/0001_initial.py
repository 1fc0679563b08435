import django.db.models.deletion
import uuid_utils.compat
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('clubs', '0001_initial'),
        ('clubs', '__first__'),
    ]

    operations = [
        migrations.CreateModel(
            name='FoldLock',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('folded_at', models.DateTimeField(help_text='When the counts last changed', null=True)),
            ],
        ),
        migrations.CreateModel(
            name='Block',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('game', models.CharField(max_length=30)),
                ('edition', models.CharField(max_length=30)),
                ('variant', models.CharField(max_length=40)),
                ('player_count', models.PositiveSmallIntegerField()),
                ('counts', models.BooleanField()),
                ('day', models.DateField(null=True)),
                ('plays', models.IntegerField(default=0)),
                ('club', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='clubs.club')),
            ],
            options={
                'indexes': [models.Index(fields=['game', 'edition', 'variant', 'player_count', 'day'], name='stats_block_game_6dd1f7_idx')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('day__isnull', False)), fields=('club', 'game', 'edition', 'variant', 'player_count', 'counts', 'day'), name='block_once_a_day'), models.UniqueConstraint(condition=models.Q(('day__isnull', True)), fields=('club', 'game', 'edition', 'variant', 'player_count', 'counts'), name='block_once_for_all_days'), models.CheckConstraint(condition=models.Q(('plays__gte', 0)), name='block_not_negative')],
            },
        ),
        migrations.CreateModel(
            name='FoldedPlay',
            fields=[
                ('play_id', models.UUIDField(primary_key=True, serialize=False)),
                ('gives', models.JSONField()),
                ('club', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='clubs.club')),
            ],
        ),
        migrations.CreateModel(
            name='SimulationResult',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=64)),
                ('engine', models.CharField(max_length=20)),
                ('games', models.BigIntegerField(default=0)),
                ('complete', models.BooleanField(default=False)),
                ('summary', models.BinaryField(null=True)),
                ('updated_at', models.DateTimeField(auto_now=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(condition=models.Q(('complete', True)), fields=('key', 'games'), name='result_stored_once')],
            },
        ),
        migrations.CreateModel(
            name='Count',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('measure', models.CharField(choices=[('total', 'Total'), ('winning_total', 'Winning Total'), ('margin', 'Margin'), ('banknotes', 'Banknotes'), ('decided_by', 'Decided By'), ('table_total', 'Table Total'), ('table_banknotes', 'Table Banknotes'), ('position_total', 'Position Total'), ('position_banknotes', 'Position Banknotes'), ('position_win', 'Position Win'), ('price', 'Price'), ('cheque', 'Cheque')], max_length=20)),
                ('part', models.PositiveSmallIntegerField(default=0)),
                ('value', models.IntegerField()),
                ('n', models.IntegerField(default=0)),
                ('block', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='counts_of_values', to='stats.block')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('block', 'measure', 'part', 'value'), name='count_once'), models.CheckConstraint(condition=models.Q(('n__gte', 0)), name='count_not_negative')],
            },
        ),
        migrations.CreateModel(
            name='Simulation',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('game', models.CharField(max_length=30)),
                ('edition', models.CharField(max_length=30)),
                ('variant', models.CharField(max_length=40)),
                ('player_count', models.PositiveSmallIntegerField()),
                ('bots', models.JSONField()),
                ('games', models.BigIntegerField()),
                ('seed', models.BigIntegerField()),
                ('opener', models.PositiveSmallIntegerField(blank=True, help_text='Null: random', null=True)),
                ('reference', models.BooleanField(default=False, help_text='What recorded scores are shown beside')),
                ('body_hash', models.CharField(blank=True, editable=False, max_length=64)),
                ('status', models.CharField(choices=[('queued', 'queued'), ('running', 'running'), ('paused', 'paused'), ('finished', 'finished'), ('cancelled', 'cancelled'), ('failed', 'failed')], default='queued', max_length=10)),
                ('error', models.TextField(blank=True)),
                ('games_done', models.BigIntegerField(default=0)),
                ('next_game', models.BigIntegerField(default=0)),
                ('chunk_games', models.PositiveIntegerField(default=0, help_text='Games of the next chunk, from the speed so far')),
                ('pace', models.JSONField(default=list, editable=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('started_at', models.DateTimeField(blank=True, null=True)),
                ('running_since', models.DateTimeField(blank=True, null=True)),
                ('ran_seconds', models.FloatField(default=0, help_text='Before `running_since`: pauses do not count')),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('updated_at', models.DateTimeField(auto_now=True)),
                ('requester', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='simulations', to=settings.AUTH_USER_MODEL)),
                ('result', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='simulations', to='stats.simulationresult')),
            ],
            options={
                'indexes': [models.Index(fields=['status', 'created_at'], name='stats_simul_status_04f5f3_idx'), models.Index(fields=['created_at', 'id'], name='stats_simul_created_c3d332_idx')],
                'constraints': [models.CheckConstraint(condition=models.Q(('status__in', ['queued', 'running', 'paused', 'finished', 'cancelled', 'failed'])), name='simulation_status_known'), models.CheckConstraint(condition=models.Q(('games__gte', 1), ('games_done__gte', 0), ('games_done__lte', models.F('next_game')), ('next_game__lte', models.F('games'))), name='simulation_games'), models.CheckConstraint(condition=models.Q(models.Q(('status', 'finished'), _negated=True), ('games_done', models.F('games')), _connector='OR'), name='finished_simulation_is_whole'), models.UniqueConstraint(condition=models.Q(('reference', True)), fields=('game', 'edition', 'variant', 'player_count'), name='one_reference_per_block')],
            },
        ),
        migrations.CreateModel(
            name='Chunk',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('first_game', models.BigIntegerField()),
                ('games', models.BigIntegerField()),
                ('enqueued_at', models.DateTimeField()),
                ('lease', models.UUIDField(null=True)),
                ('leased_until', models.DateTimeField(null=True)),
                ('worker', models.CharField(blank=True, help_text='Host and process that hold the lease', max_length=100)),
                ('attempts', models.PositiveSmallIntegerField(default=0, help_text='Leases taken')),
                ('errors', models.PositiveSmallIntegerField(default=0, help_text='Attempts that raised')),
                ('simulation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='chunks', to='stats.simulation')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('simulation', 'first_game'), name='chunk_once'), models.CheckConstraint(condition=models.Q(('games__gte', 1)), name='chunk_has_games'), models.CheckConstraint(condition=models.Q(models.Q(('lease__isnull', True), ('leased_until__isnull', True)), models.Q(('lease__isnull', False), ('leased_until__isnull', False)), _connector='OR'), name='chunk_leased_until')],
            },
        ),
    ]
