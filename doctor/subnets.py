"""What is reserved of an existing subnet."""

from ipaddress import IPv4Network

from doctor.account import Place


def prefix_addresses(place: Place, subnet: str) -> int:
    """Addresses of a subnet that only prefixes are taken from. Raises NoAnswer."""
    answer = place.ask("ec2", "get_subnet_cidr_reservations", SubnetId=subnet)
    return sum(
        IPv4Network(reservation["Cidr"]).num_addresses
        for reservation in answer["SubnetIpv4CidrReservations"]
        if reservation["ReservationType"] == "prefix"
    )
