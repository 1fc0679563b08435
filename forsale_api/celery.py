"""The Celery app, and the worker that a web process runs within itself where there is no broker."""

import logging
import os
import threading
import time
from typing import Any

from celery import Celery
from celery.beat import EmbeddedService
from celery.signals import worker_init, worker_ready
from celery.worker import WorkController, state

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "forsale_api.settings")

logger = logging.getLogger(__name__)

app = Celery("forsale")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.set_default()  # in every thread of a web process

WARM_UP, RECONCILE = "stats.tasks.warm_up", "stats.tasks.reconcile"


@worker_init.connect  # type: ignore[untyped-decorator]
def compile_first(sender: Any, **kwargs: Any) -> None:
    """A worker of its own process takes no task before the kernel is compiled; its children inherit the code."""
    if not isinstance(sender, EmbeddedController):
        app.tasks[WARM_UP](every_bot=True)


@worker_ready.connect  # type: ignore[untyped-decorator]
def take_up(**kwargs: Any) -> None:
    """What a worker that died has left is taken up as soon as there is another."""
    app.send_task(RECONCILE, kwargs={"everything": True})


class EmbeddedController(WorkController):  # type: ignore[misc]
    """Celery's worker without a command line: no signal handlers, no logging of its own, threads for tasks."""


class EmbeddedWorker:
    """Celery in threads of this process: a worker with one thread a core, and beat.

    Messages are in memory and end with the process; what is to be done stands in the database, and is taken up at the
    next start. `stop` lets tasks end that have begun.
    """

    def __init__(self, *, concurrency: int | None = None) -> None:
        self._concurrency = concurrency or os.cpu_count() or 1
        self._ready = threading.Event()
        self._is_stopping = False
        self._controller: EmbeddedController | None = None
        self._beat = EmbeddedService(app, thread=True, scheduler_cls="celery.beat:Scheduler")
        self._thread = threading.Thread(target=self._work, name="worker", daemon=True)
        self._starter = threading.Thread(target=self._warm_up, name="worker-start", daemon=True)

    def start(self) -> None:
        """Begin, and return at once: pages need not wait for the kernel to compile."""
        app.loader.import_default_modules()
        self._thread.start()
        self._beat.start()
        self._starter.start()

    def _work(self) -> None:
        app.set_current()
        state.should_stop = None
        self._controller = EmbeddedController(
            app=app,
            hostname=f"embedded-{os.getpid()}",
            pool="threads",
            concurrency=self._concurrency,
            queues=["figures"],
            ready_callback=lambda consumer: self._ready.set(),
            without_heartbeat=True,
            without_mingle=True,
            without_gossip=True,
        )
        self._controller.start()

    def _warm_up(self) -> None:
        """Plays are folded from the first second; chunks are taken once the kernel is there."""
        try:
            app.tasks[WARM_UP]()
        except Exception:
            logger.exception("The kernel cannot be loaded: simulations wait.")
            return
        self._ready.wait()
        if self._is_stopping or self._controller is None:
            return
        consumer = self._controller.consumer
        consumer.call_soon(consumer.add_task_queue, "chunks")
        app.send_task(RECONCILE, kwargs={"everything": True})

    def stop(self, timeout: float = 5.0) -> bool:
        """End within `timeout` seconds; whether everything has ended by then. What was not done is done next time."""
        self._is_stopping = True
        deadline = time.monotonic() + timeout
        state.should_stop = 0
        app.send_task(RECONCILE)  # any message: it wakes the worker, which else looks up every two seconds
        self._beat.service.stop()
        for thread in (self._thread, self._beat):
            thread.join(max(0.0, deadline - time.monotonic()))
        return not self._thread.is_alive() and not self._beat.is_alive()


_running: EmbeddedWorker | None = None
_starting = threading.Lock()


def start_embedded_worker(*, concurrency: int | None = None) -> EmbeddedWorker:
    """The embedded worker of this process, started at the first call; `concurrency` is its number of threads."""
    global _running
    with _starting:
        if _running is None or _running._is_stopping:
            _running = EmbeddedWorker(concurrency=concurrency)
            _running.start()
        return _running
