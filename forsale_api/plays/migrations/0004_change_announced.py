from django.db import migrations, models


class Migration(migrations.Migration):
    """Changes from before this migration count as announced: nobody had asked to be told of them."""

    dependencies = [
        ("plays", "0003_seat_money_known"),
    ]

    operations = [
        migrations.AddField(
            model_name="playchange",
            name="announced",
            field=models.BooleanField(default=True, editable=False),
        ),
        migrations.AlterField(
            model_name="playchange",
            name="announced",
            field=models.BooleanField(default=False, editable=False),
        ),
        migrations.AddIndex(
            model_name="playchange",
            index=models.Index(condition=models.Q(("announced", False)), fields=["id"], name="change_to_announce"),
        ),
    ]
