"""Forms of django-allauth in our words: one name for a user name, and the rules of passwords in one sentence."""

from typing import Any

from allauth.account import forms as allauth
from django.contrib.auth.password_validation import MinimumLengthValidator
from django.utils.translation import gettext as _


class _NewPassword:
    """A form with a new password."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        # what AUTH_PASSWORD_VALIDATORS ask for
        self.fields["password1"].help_text = _(  # type: ignore[attr-defined]
            "At least %(n)s characters, not digits alone, nothing common and nothing like your name."
        ) % {"n": MinimumLengthValidator().min_length}


class SignupForm(_NewPassword, allauth.SignupForm):  # type: ignore[misc]
    """An account."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        _named(self, "username", _("Username"))


class LoginForm(allauth.LoginForm):  # type: ignore[misc]
    """Who comes back."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        _named(self, "login", _("Username or email"))


class ChangePasswordForm(_NewPassword, allauth.ChangePasswordForm):  # type: ignore[misc]
    """Another password."""


class SetPasswordForm(_NewPassword, allauth.SetPasswordForm):  # type: ignore[misc]
    """A password where there was none."""


class ResetPasswordKeyForm(_NewPassword, allauth.ResetPasswordKeyForm):  # type: ignore[misc]
    """A password for a forgotten one."""


def _named(form: Any, name: str, label: str) -> None:
    """The field gets the label; a placeholder that says it again goes."""
    form.fields[name].label = label
    form.fields[name].widget.attrs.pop("placeholder", None)
