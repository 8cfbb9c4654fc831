"""Clients for a floor served over HTTP, synchronous and asynchronous. They retry and reconnect by themselves."""

from punto.client.asynchronous import AsyncClient
from punto.client.command_body import order
from punto.client.errors import ClientCode, ClientRefused, ReleaseMismatch
from punto.client.synchronous import Client

__all__ = ["AsyncClient", "Client", "ClientCode", "ClientRefused", "ReleaseMismatch", "order"]
