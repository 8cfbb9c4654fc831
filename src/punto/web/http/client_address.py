"""The address that a request comes from, as limits count it."""

from collections.abc import Mapping
from functools import lru_cache
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Any

MAX_ADDRESSES = 20_000


@lru_cache(MAX_ADDRESSES)
def limit_key(address: str) -> str:
    """The key for an address's limits: the address, or for IPv6 its /64 network, since a household has a whole one."""
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if not isinstance(parsed, IPv6Address) or parsed.is_loopback:
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(IPv6Address(int(parsed) >> 64 << 64)) + "/64"


def client_key(scope: Mapping[str, Any]) -> str:
    """The key for the limits of a client."""
    client = scope.get("client")
    return limit_key(str(client[0])) if client else "unknown"


def is_this_machine(address: str) -> bool:
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return False


def is_among(address: str, proxies: tuple[str, ...]) -> bool:
    """``proxies`` are addresses, networks, or ``*`` for all."""
    try:
        parsed = ip_address(address)
        return any(one in ("*", address) or parsed in ip_network(one, strict=False) for one in proxies)
    except ValueError:
        return address in proxies
