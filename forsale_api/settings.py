"""All settings, read from the environment in this one file and checked at start (`manage.py check`).

The environment variables are listed in `.env.example`; an unset or empty one has the value that suits a laptop.
"""

import os
import secrets
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.core.checks import Error, Warning, register
from django.core.exceptions import ImproperlyConfigured
from django.utils.csp import CSP
from environ import Env

BASE_DIR = Path(__file__).resolve().parent.parent
VAR_DIR = BASE_DIR / "var"  # the database and secret of a laptop; never used where the environment names others

_COMMAND = sys.argv[1] if len(sys.argv) > 1 else ""
TESTING = "pytest" in sys.modules
DEMO = _COMMAND == "demo"

ENVIRONMENT: dict[str, str] = {}  # every variable this file reads, with what counts when it is unset
_misread: list[Error] = []


def _read[T](name: str, parse: Callable[[str], T], unset: str, *, hint: str, code: str) -> T:
    """The variable as `parse` understands it. What it does not understand is an error of `manage.py check`, which never
    shows the value (it may hold a password); until then the value of an unset one stands in."""
    ENVIRONMENT[name] = unset
    try:
        return parse(os.environ.get(name, "") or unset)
    except (ValueError, ImproperlyConfigured):
        _misread.append(Error(f"{name} is not understood.", hint=hint, id=f"forsale.{code}"))
        return parse(unset)


def _one_of(*words: str) -> Callable[[str], str]:
    def parse(value: str) -> str:
        if value not in words:
            raise ValueError(value)
        return value

    return parse


def _flag(value: str) -> bool:
    return _one_of("1", "true", "on", "yes", "0", "false", "off", "no")(value.lower()) in {"1", "true", "on", "yes"}


def _list(value: str) -> list[str]:
    return [entry.strip() for entry in value.split(",") if entry.strip()]


def _hosts(value: str) -> list[str]:
    hosts = _list(value)
    if any("/" in host for host in hosts):
        raise ValueError(value)
    return hosts


def _origins(value: str) -> list[str]:
    origins = _list(value)
    if any("://" not in origin for origin in origins):
        raise ValueError(value)
    return origins


def _address_of(*schemes: str) -> Callable[[str], str]:
    """Reads an address with one of these schemes; empty stays empty."""

    def parse(value: str) -> str:
        if value and value.partition("://")[0] not in schemes:
            raise ValueError("not an address of these kinds")
        return value

    return parse


def _database(value: str) -> dict[str, Any]:
    scheme = value.partition("://")[0]
    if scheme not in {"sqlite", "postgres", "postgresql"}:
        raise ValueError(scheme)
    return dict(Env.db_url_config(value))


def _mailer(value: str) -> dict[str, Any]:
    read = Env.email_url_config(value)
    if not read["EMAIL_HOST"]:
        return {"BACKEND": read["EMAIL_BACKEND"]}
    options = {
        "host": read["EMAIL_HOST"],
        "port": read["EMAIL_PORT"] or 25,
        "username": read["EMAIL_HOST_USER"] or "",
        "password": read["EMAIL_HOST_PASSWORD"] or "",
        "use_tls": read.get("EMAIL_USE_TLS", False),
        "use_ssl": read.get("EMAIL_USE_SSL", False),
    }
    return {"BACKEND": read["EMAIL_BACKEND"], "OPTIONS": options}


def _proxy_header(value: str) -> tuple[str, str] | None:
    """`1` for the usual header, or `Header-Name=value` as the proxy sets it on requests that came by HTTPS."""
    if "=" not in value:
        return ("HTTP_X_FORWARDED_PROTO", "https") if _flag(value) else None
    name, secure = value.split("=")
    if not name or not secure:
        raise ValueError(value)
    return "HTTP_" + name.strip().upper().replace("-", "_").removeprefix("HTTP_"), secure.strip()


def _limits(value: str) -> dict[str, tuple[int, int]]:
    """`on`, `off`, or by policy the number of requests and the window in seconds."""
    if value == "off":
        return {}
    limits = {"token": (3000, 60), "address": (1200, 60)}
    for entry in _list("" if value == "on" else value):
        policy, _equals, amount = entry.partition("=")
        quota, window = map(int, amount.split("/"))
        if policy not in limits or quota < 1 or window < 1:
            raise ValueError(value)
        limits[policy] = (quota, window)
    return limits


def _proxies(value: str) -> int:
    if not 0 <= int(value) <= 10:
        raise ValueError(value)
    return int(value)


def _games(value: str) -> int:
    games = int(value)
    if games < 1:
        raise ValueError(value)
    return games


def _made_up_secret() -> str:
    """A secret for a laptop, kept beside its database so that sessions outlive a restart."""
    path = VAR_DIR / "secret_key"
    try:
        VAR_DIR.mkdir(exist_ok=True)
        if not path.exists():
            draft = VAR_DIR / f"secret_key.{os.getpid()}"
            draft.touch(mode=0o600)
            draft.write_text(secrets.token_urlsafe(50))
            draft.replace(path)  # whole or not at all: another process may be reading
        return path.read_text()
    except OSError:
        return secrets.token_urlsafe(50)


DEBUG = _read("DJANGO_DEBUG", _flag, "0", hint="Use 1 on a laptop, 0 or nothing elsewhere.", code="E006")

SECRET_KEY = _read("DJANGO_SECRET_KEY", str, "", hint="Any long random text.", code="E001")
if not SECRET_KEY and (TESTING or _COMMAND == "simulate"):
    SECRET_KEY = secrets.token_urlsafe(50)
if not SECRET_KEY and (DEBUG or DEMO):
    SECRET_KEY = _made_up_secret()

ALLOWED_HOSTS = _read(
    "DJANGO_ALLOWED_HOSTS",
    _hosts,
    "*" if DEMO or DEBUG else "localhost,127.0.0.1,[::1]",
    hint="Host names with commas between them and no https://, for example scores.example.org,www.example.org.",
    code="E007",
)
CSRF_TRUSTED_ORIGINS = _read(
    "DJANGO_CSRF_TRUSTED_ORIGINS",
    _origins,
    "",
    hint="Origins with commas between them, each with its scheme, for example https://scores.example.org.",
    code="E008",
)
_secure_header = _read(
    "DJANGO_PROXY_SSL_HEADER",
    _proxy_header,
    "0",
    hint="Use 1 where the proxy sets X-Forwarded-Proto to https, or Header-Name=value for another header.",
    code="E009",
)
if _secure_header:
    SECURE_PROXY_SSL_HEADER = _secure_header
    SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = True
    SECURE_HSTS_SECONDS = 31_536_000

# Who may make an account: anybody, those invited to a club, or nobody.
SIGNUP = _read("SIGNUP", _one_of("open", "invite", "closed"), "open", hint="Use open, invite or closed.", code="E002")

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "forsale_api.api",
    "forsale_api.clubs",
    "forsale_api.plays",
    "forsale_api.webhooks",
    "stats",
    "dashboard",
    # After the dashboard, whose templates stand in for theirs.
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.idp.oidc",
]

MIDDLEWARE = [
    "forsale_api.api.metrics.MetricsMiddleware",
    "forsale_api.api.cors.CorsMiddleware",
    "forsale_api.api.limits.LimitMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "django.middleware.gzip.GZipMiddleware",  # before static files: those without a packed copy (demo) are packed here
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.csp.ContentSecurityPolicyMiddleware",
    "django.middleware.http.ConditionalGetMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "forsale_api.api.nul.NulMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

ROOT_URLCONF = "forsale_api.urls"
WSGI_APPLICATION = "forsale_api.wsgi.application"
ASGI_APPLICATION = "forsale_api.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]

# ---- storage -----------------------------------------------------------------------------------------

DATABASES = {
    "default": _read(
        "DATABASE_URL",
        _database,
        f"sqlite:///{VAR_DIR / 'forsale.sqlite3'}",
        hint="For example postgres://user:password@localhost:5432/forsale, or sqlite:////home/me/forsale.sqlite3.",
        code="E010",
    )
}
DATABASES["default"]["CONN_MAX_AGE"] = None  # opening a connection costs more than the query it serves
DATABASES["default"]["CONN_HEALTH_CHECKS"] = True  # but one that the server closed is opened again
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",  # with WAL: readers never wait, writers queue instead of failing
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
    }
    with suppress(OSError):  # whoever cannot write there is told so by what opens the database
        VAR_DIR.mkdir(exist_ok=True)
    if TESTING:  # a file, not memory: threads and processes of a test share it
        DATABASES["default"]["TEST"] = {"NAME": str(VAR_DIR / f"test-{os.getpid()}.sqlite3")}
else:  # no query of a page runs as long as PostgreSQL would take to compile it; no disk has an arm to move any more
    DATABASES["default"].setdefault("OPTIONS", {}).setdefault("options", "-c jit=off -c random_page_cost=1.1")
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

CACHE_URL = _read(
    "CACHE_URL",
    _address_of("redis", "rediss", "unix"),
    "",
    hint="For example redis://localhost:6379/1; empty keeps the cache in memory.",
    code="E004",
)
if CACHE_URL:
    CACHES = {"default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": CACHE_URL}}
    if TESTING and "PYTEST_XDIST_WORKER" in os.environ:  # one test's clear() must not empty another's cache
        own = 11 + int(os.environ["PYTEST_XDIST_WORKER"].removeprefix("gw")) % 4
        CACHES["default"]["LOCATION"] = urlsplit(CACHE_URL)._replace(path=f"/{own}").geturl()
else:
    CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}

MAILERS = {
    "default": _read(
        "EMAIL_URL",
        _mailer,
        "consolemail://",
        hint="For example smtp+tls://user:password@mail.example.org:587; consolemail:// prints.",
        code="E011",
    )
}

# ---- Celery ------------------------------------------------------------------------------------------

CELERY_BROKER_URL = _read(
    "CELERY_BROKER_URL",
    _address_of("redis", "rediss", "amqp", "amqps", "memory"),
    "",
    hint="For example redis://localhost:6379/0; empty runs the embedded worker.",
    code="E003",
)
EMBEDDED_WORKER = not CELERY_BROKER_URL  # each web process then runs its own worker threads (forsale_api.celery)
CELERY_BROKER_URL = CELERY_BROKER_URL or "memory://localhost/"
CELERY_BROKER_TRANSPORT_OPTIONS = {"polling_interval": 0.02} if CELERY_BROKER_URL.startswith("memory") else {}
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_PUBLISH_RETRY_POLICY = {"max_retries": 2, "interval_start": 0.1, "interval_max": 0.5}  # a page waits
CELERY_TASK_IGNORE_RESULT = True  # results are rows of the database
# A task that a dying worker held comes back; each may be repeated.
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_SEND_TASK_EVENTS = False
# Two queues, which workers serve in turns: figures do not wait behind a long row of simulations.
CELERY_TASK_DEFAULT_QUEUE = "figures"
CELERY_TASK_QUEUES: dict[str, dict[str, Any]] = {"figures": {}, "chunks": {}}
CELERY_TASK_ROUTES = {
    f"stats.tasks.{task}": {"queue": "chunks"} for task in ("run_chunk", "play_league", "price_table")
}
# Beat's own messages are worthless once some later ones are there; but with a single core and chunks of a second they
# come faster than they get their turn, so each must outlive the wait for it.
CELERY_BEAT_SCHEDULE = {
    "fold plays into counts": {"task": "stats.tasks.fold", "schedule": 1.0, "options": {"expires": 3.0}},
    "take up what was left": {"task": "stats.tasks.reconcile", "schedule": 10.0, "options": {"expires": 10.0}},
    "forget old answers": {"task": "api.purge_idempotency_keys", "schedule": 86_400.0},
    "forget what apps held": {"task": "clubs.forget_grants", "schedule": 86_400.0},
    "tell webhooks": {"task": "webhooks.announce", "schedule": 1.0, "options": {"expires": 3.0}},
    "forget old messages": {"task": "webhooks.forget", "schedule": 86_400.0},
}
SIMULATION_WIDTH = 2 * (os.cpu_count() or 1)  # chunks of one simulation that are out: one in hand, one waiting

# ---- accounts and security ---------------------------------------------------------------------------

AUTH_USER_MODEL = "clubs.User"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
if TESTING:
    PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
LOGIN_URL = "/accounts/login/"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
ACCOUNT_ADAPTER = "forsale_api.clubs.accounts.AccountAdapter"
ACCOUNT_FORMS = {
    "signup": "dashboard.account_forms.SignupForm",
    "login": "dashboard.account_forms.LoginForm",
    "change_password": "dashboard.account_forms.ChangePasswordForm",
    "set_password": "dashboard.account_forms.SetPasswordForm",
    "reset_password_from_key": "dashboard.account_forms.ResetPasswordKeyForm",
}
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "optional"  # an address is for a forgotten password, and nobody must give one
ACCOUNT_CHANGE_EMAIL = True  # one address, which a new one replaces once it is confirmed
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_LOGOUT_REDIRECT_URL = "/"
ACCOUNT_USERNAME_BLACKLIST = ["me", ".", ".."]  # clients fold members/../ into the address of the club
MFA_SUPPORTED_TYPES = ["webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_ALLOW_UNVERIFIED_EMAIL = True
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = DEBUG or DEMO or TESTING  # localhost, where browsers allow it too
MFA_RECOVERY_CODES_SHOW_ONCE = True
if _secure_header:
    ACCOUNT_DEFAULT_HTTP_PROTOCOL = "https"
# OAuth 2 for apps that act for a member; what is served of it stands in clubs.oauth.
IDP_OIDC_ADAPTER = "forsale_api.clubs.oauth.OAuthAdapter"
IDP_OIDC_ACCESS_TOKEN_EXPIRES_IN = 3600
IDP_OIDC_REFRESH_TOKEN_EXPIRES_IN = 180 * 86_400  # an app that is not used for half a year asks again
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CSP = {
    "default-src": [CSP.SELF],
    "script-src": [CSP.SELF],
    "style-src": [CSP.SELF],
    "style-src-attr": [CSP.UNSAFE_INLINE],  # Plotly sets style attributes on what it draws
    "img-src": [CSP.SELF, "data:", "blob:"],
    "object-src": [CSP.NONE],
    "base-uri": [CSP.SELF],
    "form-action": [CSP.SELF],
    "frame-ancestors": [CSP.NONE],
}

# ---- languages and files -----------------------------------------------------------------------------

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("fr", "Français")]
LOCALE_PATHS = [BASE_DIR / "dashboard" / "locale"]  # one catalogue for pages, API and rules
TIME_ZONE = "UTC"
USE_TZ = True
STATIC_URL = "static/"
STATIC_ROOT = _read(
    "DJANGO_STATIC_ROOT", str, str(BASE_DIR / "staticfiles"), hint="A folder for collectstatic.", code="E012"
)
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = DEBUG
warnings.filterwarnings("ignore", "No directory at")  # before collectstatic, files come from where they are written
if not (DEBUG or DEMO or TESTING):
    STORAGES = {
        "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
        "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
    }

# ---- the API -----------------------------------------------------------------------------------------

# Requests in so many seconds: of a token, and of an address without one.
API_LIMITS = _read(
    "API_LIMITS",
    _limits,
    "off" if TESTING else "on",
    hint="Use on, off for load tests, or both limits, for example token=3000/60,address=1200/60.",
    code="E005",
)
PROXIES = _read(
    "API_PROXIES",
    _proxies,
    "1" if _secure_header else "0",  # whoever trusts the header of a proxy has one
    hint="The number of proxies of ours that a request passes, each adding to X-Forwarded-For.",
    code="E015",
)
WEBHOOKS_TO_LOOPBACK = _read(
    "WEBHOOKS_TO_LOOPBACK",
    _flag,
    "1" if DEMO or DEBUG else "0",
    hint="Use 1 on a laptop only: messages may then go to programs of this machine.",
    code="E014",
)
WEBHOOKS_WIDTH = 1 if EMBEDDED_WORKER else 4  # addresses served at a time: a slow one must not hold every worker
MAX_SIMULATION_GAMES = _read("MAX_SIMULATION_GAMES", _games, str(10**10), hint="A whole number from 1 on.", code="E013")
DATA_UPLOAD_MAX_MEMORY_SIZE = 5 * 2**20

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "forsale_api.clubs.authentication.TokenAuthentication",
        "forsale_api.clubs.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["forsale_api.api.permissions.HasScope"],
    "DEFAULT_RENDERER_CLASSES": ["forsale_api.api.formats.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["forsale_api.api.formats.JSONParser"],
    "DEFAULT_SCHEMA_CLASS": "forsale_api.api.schema.AutoSchema",
    "EXCEPTION_HANDLER": "forsale_api.api.problems.exception_handler",
    "URL_FORMAT_OVERRIDE": None,
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
    "COERCE_DECIMAL_TO_STRING": False,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "For Sale",
    "VERSION": "1.0.0",
    "OAS_VERSION": "3.1.1",
    "DESCRIPTION": "Plays, scores, statistics and simulations of the auction games For Sale and Lady Richmond. "
    "Money is a whole number of thousands of dollars.",
    "LICENSE": {"name": "MIT"},
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "SWAGGER_UI_SETTINGS": {"deepLinking": True, "validatorUrl": "none"},  # no request leaves the site
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_ADD_EXPLICIT_BLANK_NULL_CHOICE": False,
    "ENUM_NAME_OVERRIDES": {
        "SimulationStatusEnum": "stats.models.Status",
        "GameEnum": "forsale_api.plays.serializers.GAMES",
        "EditionEnum": "forsale_api.plays.serializers.EDITIONS",
        "SimulatedGameEnum": "stats.serializers.SIMULATED_GAMES",
        "SimulatedEditionEnum": "stats.serializers.SIMULATED_EDITIONS",
    },
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "forsale_api.api.schema.add_problems",
        "forsale_api.webhooks.schema.add_webhooks",
        "forsale_api.api.schema.add_examples",
    ],
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": "WARNING"},
    # each 4xx is a warning of this one: between the lines of the demo's progress they look like faults of the site
    "loggers": {"django.request": {"level": "ERROR" if DEMO else "WARNING"}},
}


@register("environment")
def check_environment(**kwargs: object) -> list[Error | Warning]:
    """What the environment says, checked for sense; each finding says what to do."""
    found: list[Error | Warning] = [*_misread]
    if not SECRET_KEY:
        found.append(
            Error(
                "DJANGO_SECRET_KEY is not set.",
                hint="Set it to 50 random characters, or set DJANGO_DEBUG=1 on a laptop.",
                id="forsale.E001",
            )
        )
    elif len(SECRET_KEY) < 32:
        found.append(
            Warning("DJANGO_SECRET_KEY is short.", hint="Use 50 random characters.", id="forsale.W001"),
        )
    return found
