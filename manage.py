"""Django's command line; `python manage.py help` lists what it can do."""

import os
import sys

OLDEST_PYTHON = (3, 12)


def main() -> None:
    if sys.version_info < OLDEST_PYTHON:
        sys.exit(
            f"For Sale needs Python {'.'.join(map(str, OLDEST_PYTHON))} or newer; this is {sys.version.split()[0]}. "
            "Try: UV_PYTHON=3.13 uv run manage.py demo"
        )
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "forsale_api.settings")
    try:
        from django.core.management import execute_from_command_line
    except ImportError:
        sys.exit("Django is not installed here. Run: pip install uv && uv run manage.py demo")
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
