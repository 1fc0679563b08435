import django.core.serializers.json
import django.db.models.deletion
import django.db.models.expressions
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
            name='PlayToFold',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('play_id', models.UUIDField()),
                ('created_at', models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.CreateModel(
            name='Play',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('game', models.CharField(max_length=30)),
                ('edition', models.CharField(max_length=30)),
                ('variant', models.CharField(max_length=40)),
                ('player_count', models.PositiveSmallIntegerField()),
                ('played_on', models.DateField(help_text="The club's local calendar date")),
                ('played_at', models.TimeField(blank=True, null=True)),
                ('location', models.CharField(blank=True, max_length=200)),
                ('duration_minutes', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('notes', models.TextField(blank=True, max_length=5000)),
                ('first_seat', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('record', models.JSONField(blank=True, null=True)),
                ('reported_winners', models.JSONField(blank=True, default=list)),
                ('source', models.CharField(blank=True, max_length=50, null=True)),
                ('source_id', models.CharField(blank=True, max_length=200, null=True)),
                ('counts', models.BooleanField(default=True)),
                ('not_counted_reason', models.CharField(blank=True, max_length=300)),
                ('level', models.CharField(max_length=10)),
                ('decided_by', models.CharField(max_length=20)),
                ('impossible', models.BooleanField(default=False, help_text='No legal game gives this sheet')),
                ('body_hash', models.CharField(blank=True, editable=False, max_length=64)),
                ('version', models.PositiveIntegerField(default=1)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('updated_at', models.DateTimeField()),
                ('deleted_at', models.DateTimeField(blank=True, null=True)),
                ('club', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='plays', to='clubs.club')),
                ('recorder', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'indexes': [models.Index(fields=['club', 'played_on', 'id'], name='plays_play_club_id_ad1f06_idx'), models.Index(fields=['club', 'updated_at', 'id'], name='plays_play_club_id_788007_idx'), models.Index(fields=['played_on', 'id'], name='plays_play_played__20981b_idx'), models.Index(fields=['created_at', 'id'], name='plays_play_created_09def2_idx'), models.Index(fields=['updated_at', 'id'], name='plays_play_updated_efe0ce_idx')],
                'constraints': [models.CheckConstraint(condition=models.Q(('player_count__range', (2, 6))), name='play_player_count'), models.CheckConstraint(condition=models.Q(('level__in', ('total', 'sheet', 'cards', 'record'))), name='play_level_known'), models.CheckConstraint(condition=models.Q(('decided_by__in', ('total', 'banknotes', 'largest_category', 'shared', 'reported', 'unknown'))), name='play_decision_known'), models.CheckConstraint(condition=models.Q(('first_seat__isnull', True), models.Q(('first_seat__gte', 1), ('first_seat__lte', models.F('player_count'))), _connector='OR'), name='play_first_seat_at_table'), models.CheckConstraint(condition=models.Q(models.Q(('source__isnull', True), ('source_id__isnull', True)), models.Q(('source__isnull', False), ('source_id__isnull', False)), _connector='OR'), name='play_source_with_id'), models.UniqueConstraint(fields=('club', 'source', 'source_id'), name='play_source_once_per_club')],
            },
        ),
        migrations.CreateModel(
            name='PlayChange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('version', models.PositiveIntegerField()),
                ('action', models.CharField(choices=[('created', 'created'), ('changed', 'changed'), ('deleted', 'deleted'), ('restored', 'restored')], max_length=10)),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('before', models.JSONField(encoder=django.core.serializers.json.DjangoJSONEncoder, null=True)),
                ('after', models.JSONField(encoder=django.core.serializers.json.DjangoJSONEncoder, null=True)),
                ('play', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='changes', to='plays.play')),
                ('user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('play', 'version'), name='change_version_once')],
            },
        ),
        migrations.CreateModel(
            name='Seat',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('seat', models.PositiveSmallIntegerField()),
                ('cheques', models.SmallIntegerField(null=True)),
                ('banknotes', models.SmallIntegerField(null=True)),
                ('cheque_cards', models.JSONField(null=True)),
                ('points', models.SmallIntegerField(null=True)),
                ('largest_category', models.SmallIntegerField(null=True)),
                ('total', models.SmallIntegerField()),
                ('rank', models.PositiveSmallIntegerField()),
                ('is_winner', models.BooleanField()),
                ('play', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='seats', to='plays.play')),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='seats', to='clubs.player')),
            ],
            options={
                'ordering': ['play', 'seat'],
                'constraints': [models.UniqueConstraint(fields=('play', 'seat'), name='seat_once'), models.UniqueConstraint(fields=('play', 'player'), name='player_sits_once'), models.CheckConstraint(condition=models.Q(('seat__range', (1, 6))), name='seat_number'), models.CheckConstraint(condition=models.Q(('rank__range', (1, 6))), name='seat_rank'), models.CheckConstraint(condition=models.Q(models.Q(('is_winner', True), ('rank', 1)), models.Q(('is_winner', False), ('rank__gt', 1)), _connector='OR'), name='seat_winner_is_rank_one'), models.CheckConstraint(condition=models.Q(('cheques__isnull', True), ('banknotes__isnull', True), ('total', django.db.models.expressions.CombinedExpression(models.F('cheques'), '+', models.F('banknotes'))), _connector='OR'), name='seat_total_adds_up'), models.CheckConstraint(condition=models.Q(models.Q(('banknotes__isnull', True), ('cheques__isnull', True)), models.Q(('banknotes__gte', 0), ('cheques__gte', 0)), _connector='OR'), name='seat_money_known_and_not_negative')],
            },
        ),
    ]
