"""A client of a floor that is served over HTTP: synchronous and asynchronous, and it resumes by itself."""

from punto.client.asynchronous import AsyncClient
from punto.client.orders import order
from punto.client.refused import ClientCode, Refused
from punto.client.synchronous import Client

__all__ = ["AsyncClient", "Client", "ClientCode", "Refused", "order"]
