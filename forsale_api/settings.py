"""All settings, read from the environment in this one file and checked at start (`manage.py check`).

The environment variables are listed in `.env.example`; an unset one has the value that suits a laptop.
"""

import os
import secrets
import sys
from pathlib import Path

import environ
from django.core.checks import Error, Tags, Warning, register
from django.utils.csp import CSP

BASE_DIR = Path(__file__).resolve().parent.parent
VAR_DIR = BASE_DIR / "var"  # the database and secret of a laptop; never used where the environment names others

env = environ.Env()
_COMMAND = sys.argv[1] if len(sys.argv) > 1 else ""
TESTING = "pytest" in sys.modules

DEBUG = env.bool("DJANGO_DEBUG", default=False)
DEMO = _COMMAND == "demo"


def _made_up_secret() -> str:
    """A secret for a laptop, kept beside its database so that sessions outlive a restart."""
    path = VAR_DIR / "secret_key"
    try:
        VAR_DIR.mkdir(exist_ok=True)
        if not path.exists():
            path.touch(mode=0o600)
            path.write_text(secrets.token_urlsafe(50))
        return path.read_text()
    except OSError:
        return secrets.token_urlsafe(50)


SECRET_KEY = env.str("DJANGO_SECRET_KEY", default="")
if not SECRET_KEY and _COMMAND == "simulate":
    SECRET_KEY = secrets.token_urlsafe(50)
if not SECRET_KEY and (DEBUG or DEMO or TESTING):
    SECRET_KEY = _made_up_secret()

ALLOWED_HOSTS = env.list(
    "DJANGO_ALLOWED_HOSTS", default=["*"] if DEMO or DEBUG else ["localhost", "127.0.0.1", "[::1]"]
)
CSRF_TRUSTED_ORIGINS = env.list("DJANGO_CSRF_TRUSTED_ORIGINS", default=[])
if env.bool("DJANGO_PROXY_SSL_HEADER", default=False):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = True
    SECURE_HSTS_SECONDS = 31_536_000

# Who may make an account: anybody, those invited to a club, or nobody.
SIGNUP = env.str("SIGNUP", default="open")

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
    "stats",
    "dashboard",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.csp.ContentSecurityPolicyMiddleware",
    "django.middleware.gzip.GZipMiddleware",
    "django.middleware.http.ConditionalGetMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
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

DATABASE_URL = env.str("DATABASE_URL", default="") or f"sqlite:///{VAR_DIR / 'forsale.sqlite3'}"
DATABASES = {"default": environ.Env.db_url_config(DATABASE_URL)}
DATABASES["default"]["CONN_MAX_AGE"] = None  # opening a connection costs more than the query it serves
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",  # with WAL: readers never wait, writers queue instead of failing
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
    }
    if TESTING:  # a file, not memory: threads and processes of a test share it
        VAR_DIR.mkdir(exist_ok=True)
        DATABASES["default"]["TEST"] = {"NAME": str(VAR_DIR / f"test-{os.getpid()}.sqlite3")}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

CACHE_URL = env.str("CACHE_URL", default="")
if CACHE_URL:
    CACHES = {"default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": CACHE_URL}}
else:
    CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}

EMAIL_URL = env.str("EMAIL_URL", default="consolemail://")
vars().update(environ.Env.email_url_config(EMAIL_URL))

# ---- Celery ------------------------------------------------------------------------------------------

CELERY_BROKER_URL = env.str("CELERY_BROKER_URL", default="")
EMBEDDED_WORKER = not CELERY_BROKER_URL  # each web process then runs its own worker thread (forsale_api.celery)

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
STATIC_ROOT = env.str("DJANGO_STATIC_ROOT", default=str(BASE_DIR / "staticfiles"))
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = DEBUG
if not (DEBUG or DEMO or TESTING):
    STORAGES = {
        "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
        "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
    }

# ---- the API -----------------------------------------------------------------------------------------

API_LIMITS = env.str("API_LIMITS", default="on")  # `off` for load tests
MAX_SIMULATION_GAMES = env.int("MAX_SIMULATION_GAMES", default=10**10)
DATA_UPLOAD_MAX_MEMORY_SIZE = 5 * 2**20

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "forsale_api.clubs.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
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
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_ADD_EXPLICIT_BLANK_NULL_CHOICE": False,
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "forsale_api.api.schema.add_problems",
    ],
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": "WARNING"},
}


@register(Tags.security)
def check_environment(**kwargs: object) -> list[Error | Warning]:
    """What the environment says, checked for sense; each finding says what to do."""
    found: list[Error | Warning] = []
    if not SECRET_KEY:
        found.append(
            Error(
                "DJANGO_SECRET_KEY is not set.",
                hint="Set it to 50 random characters, or set DJANGO_DEBUG=1 on a laptop.",
                id="forsale.E001",
            )
        )
    if SIGNUP not in {"open", "invite", "closed"}:
        found.append(Error(f"SIGNUP is {SIGNUP!r}.", hint="Use open, invite or closed.", id="forsale.E002"))
    if CELERY_BROKER_URL and CELERY_BROKER_URL.split("://")[0] not in {
        "redis",
        "rediss",
        "amqp",
        "amqps",
        "sqs",
        "memory",
    }:
        found.append(
            Error(
                "CELERY_BROKER_URL is no broker address.",
                hint="For example redis://localhost:6379/0; empty runs the embedded worker.",
                id="forsale.E003",
            )
        )
    if CACHE_URL and CACHE_URL.split("://")[0] not in {"redis", "rediss", "unix"}:
        found.append(
            Error(
                "CACHE_URL is no Redis address.",
                hint="For example redis://localhost:6379/1; empty keeps the cache in memory.",
                id="forsale.E004",
            )
        )
    if API_LIMITS not in {"on", "off"}:
        found.append(Error(f"API_LIMITS is {API_LIMITS!r}.", hint="Use on or off.", id="forsale.E005"))
    return found
