import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Q
from uuid_utils.compat import uuid7


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ("clubs", "0002_hidden_players"),
        ("plays", "0004_change_announced"),
    ]

    operations = [
        migrations.CreateModel(
            name="Webhook",
            fields=[
                ("id", models.UUIDField(default=uuid7, editable=False, primary_key=True, serialize=False)),
                ("url", models.CharField(max_length=500)),
                ("events", models.JSONField(default=list)),
                ("form", models.CharField(choices=[("standard", "standard"), ("discord", "discord")], default="standard", max_length=10)),
                ("language", models.CharField(choices=[("en", "English"), ("fr", "Français")], default="en", max_length=5)),
                ("site", models.CharField(help_text="Where this service was reached when it was registered", max_length=200)),
                ("secret", models.CharField(max_length=100)),
                ("old_secret", models.CharField(blank=True, max_length=100)),
                ("old_secret_until", models.DateTimeField(blank=True, null=True)),
                ("active", models.BooleanField(default=True)),
                ("disabled_reason", models.CharField(blank=True, choices=[("gone", "gone"), ("failing", "failing")], max_length=10)),
                ("failures", models.PositiveIntegerField(default=0, help_text="Attempts in a row that failed")),
                ("succeeded_at", models.DateTimeField(blank=True, null=True)),
                ("resting_until", models.DateTimeField(blank=True, null=True)),
                ("leased_until", models.DateTimeField(blank=True, null=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("updated_at", models.DateTimeField(auto_now=True)),
                ("club", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="webhooks", to="clubs.club")),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(condition=Q(form__in=("standard", "discord")), name="webhook_form_known"),
                    models.CheckConstraint(condition=Q(active=False) | Q(disabled_reason=""), name="webhook_off_with_reason"),
                    models.CheckConstraint(
                        condition=Q(old_secret="", old_secret_until=None)
                        | (~Q(old_secret="") & Q(old_secret_until__isnull=False)),
                        name="webhook_old_secret_ends",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Delivery",
            fields=[
                ("id", models.UUIDField(default=uuid7, editable=False, primary_key=True, serialize=False)),
                ("event", models.CharField(max_length=30)),
                ("data", models.JSONField(null=True)),
                ("status", models.CharField(choices=[("pending", "pending"), ("delivered", "delivered"), ("failed", "failed")], default="pending", max_length=10)),
                ("tries", models.PositiveSmallIntegerField(default=0, help_text="Attempts since it was last asked for")),
                ("due_at", models.DateTimeField(null=True)),
                ("happened_at", models.DateTimeField()),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("delivered_at", models.DateTimeField(null=True)),
                ("change", models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="plays.playchange")),
                ("webhook", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="deliveries", to="webhooks.webhook")),
            ],
            options={
                "indexes": [
                    models.Index(condition=Q(status="pending"), fields=["due_at"], name="delivery_due"),
                    models.Index(fields=["webhook", "created_at", "id"], name="delivery_log"),
                    models.Index(fields=["created_at"], name="delivery_age"),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("webhook", "change"), name="change_told_once"),
                    models.CheckConstraint(
                        condition=Q(change__isnull=True, data__isnull=False) | Q(change__isnull=False, data__isnull=True),
                        name="delivery_says_one_thing",
                    ),
                    models.CheckConstraint(
                        condition=Q(status="pending", due_at__isnull=False)
                        | Q(status__in=["delivered", "failed"], due_at__isnull=True),
                        name="delivery_due_while_pending",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Attempt",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField()),
                ("status_code", models.PositiveSmallIntegerField(null=True)),
                ("error", models.CharField(blank=True, max_length=200)),
                ("answer", models.CharField(blank=True, help_text="The beginning of the answer", max_length=300)),
                ("seconds", models.FloatField()),
                ("delivery", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="attempts", to="webhooks.delivery")),
            ],
        ),
    ]
