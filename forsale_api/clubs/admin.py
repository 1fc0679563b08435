"""Accounts, clubs and tokens for whoever runs the site."""

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin

from forsale_api.clubs.models import Club, Membership, Player, Token, User

admin.site.register(User, UserAdmin)


class MembershipInline(admin.TabularInline):  # type: ignore[type-arg]
    model = Membership
    raw_id_fields = ("user",)
    extra = 0


@admin.register(Club)
class ClubAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ("slug", "name", "visibility", "contribute", "created_at")
    list_filter = ("visibility", "contribute")
    search_fields = ("slug", "name")
    inlines = (MembershipInline,)

    def has_delete_permission(self, request: object, obj: object = None) -> bool:
        return False  # its plays must go first, see services.delete_club


@admin.register(Player)
class PlayerAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """To look at only: a rename must reach the plays, see services.rename_player."""

    list_display = ("name", "club", "user", "created_at")
    exclude = ("hidden_name",)
    search_fields = ("name", "club__slug")
    list_select_related = ("club", "user")

    def has_add_permission(self, request: object) -> bool:
        return False

    def has_change_permission(self, request: object, obj: object = None) -> bool:
        return False

    def has_delete_permission(self, request: object, obj: object = None) -> bool:
        return False


@admin.register(Token)
class TokenAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """To look at and to end; a token is made by its user, who alone sees its secret."""

    list_display = ("user", "name", "prefix", "created_at", "expires_at", "revoked_at", "last_used_at")
    list_select_related = ("user",)
    readonly_fields = ("user", "name", "prefix", "scopes", "created_at", "expires_at", "last_used_at")
    exclude = ("digest",)

    def has_add_permission(self, request: object) -> bool:
        return False
