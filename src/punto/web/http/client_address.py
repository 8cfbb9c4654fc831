"""Where a request comes from."""

from collections.abc import Mapping
from functools import lru_cache
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Any

MAX_ADDRESSES = 20_000


@lru_cache(MAX_ADDRESSES)
def share_of(address: str) -> str:
    """The key by which an address is limited: itself, or its /64 network for IPv6, which one household has whole."""
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if not isinstance(found, IPv6Address) or found.is_loopback:
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(IPv6Address(int(found) >> 64 << 64)) + "/64"


def address_of(scope: Mapping[str, Any]) -> str:
    """The key by which the client of an ASGI scope is limited."""
    client = scope.get("client")
    return share_of(str(client[0])) if client else "unknown"


def is_here(address: str) -> bool:
    """Whether a request comes from this very machine."""
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return False


def is_among(address: str, proxies: tuple[str, ...]) -> bool:
    """Whether a proxy is one of these: addresses, networks, or ``*`` for all."""
    try:
        found = ip_address(address)
        return any(one in ("*", address) or found in ip_network(one, strict=False) for one in proxies)
    except ValueError:
        return address in proxies
