"""Every address of the site; the rooms are included by name."""

from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path, re_path

from forsale_api.api import problems

api: list[URLPattern | URLResolver] = [
    path("", include("forsale_api.api.urls")),
    path("", include("forsale_api.clubs.urls")),
    path("", include("forsale_api.plays.urls")),
    path("", include("forsale_api.webhooks.urls")),
    path("", include("stats.urls")),
    re_path(r"^.*$", problems.not_found),
]

# With the limits and passkeys of everybody else's login.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]

urlpatterns = [
    path("api/v1/", include(api)),
    re_path(r"^api/", problems.not_found),
    path("", include("forsale_api.api.service_urls")),
    path("admin/", admin.site.urls),
    path("accounts/", include("allauth.account.urls")),
    path("accounts/2fa/", include("allauth.mfa.urls")),
    path("", include("forsale_api.clubs.oauth_urls")),
    path("i18n/", include("django.conf.urls.i18n")),
    path("", include("dashboard.urls")),
]

handler400 = problems.bad_request
handler500 = problems.server_error
