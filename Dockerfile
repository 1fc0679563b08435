FROM python:3.13-slim AS build
ENV UV_PROJECT_ENVIRONMENT=/opt/venv \
    UV_PYTHON_DOWNLOADS=never \
    UV_LINK_MODE=copy
WORKDIR /app
RUN pip install --no-cache-dir uv==0.13.9
COPY pyproject.toml README.md ./
RUN uv sync --no-cache
ENV PATH=/opt/venv/bin:$PATH
COPY . .
RUN DJANGO_SECRET_KEY=only-to-collect-the-static-files-of-this-image python manage.py collectstatic --noinput \
    && python -m compileall -q forsale_api stats dashboard

FROM python:3.13-slim
ENV PATH=/opt/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    GRANIAN_HOST=0.0.0.0 \
    GRANIAN_PORT=8000 \
    NUMBA_CACHE_DIR=/app/var
WORKDIR /app
RUN useradd --system --uid 10001 --home-dir /app forsale \
    && install --directory --owner=forsale /app/var
COPY --from=build /opt/venv /opt/venv
COPY --from=build /app /app
USER 10001
EXPOSE 8000
# The host name is one that the service answers to.
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request as r; host = os.environ.get('DJANGO_ALLOWED_HOSTS', '').split(',')[0].lstrip('.*') or 'localhost'; r.urlopen(r.Request('http://127.0.0.1:8000/readyz', headers={'Host': host}), timeout=4)"]
CMD ["granian", "--interface", "wsgi", "--workers", "2", "--blocking-threads", "4", "forsale_api.wsgi:application"]
