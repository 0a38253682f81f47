"""`moka prices`: the table of prices, and AWS asked for it anew."""

from typing import Annotated

import typer

from commands.refusals import exit_on


def prices(
    refresh: Annotated[
        bool, typer.Option("--refresh", help="Ask AWS's Price List for all of it, and write the table.")
    ] = False,
    region: Annotated[
        list[str] | None,
        typer.Option(metavar="REGION", help="Also of this region, with --refresh; may be repeated."),
    ] = None,
) -> None:
    """Show where prices are from, or ask AWS for them anew.

    They are those of `moka report`.

    --refresh needs AWS credentials with pricing:GetProducts, and writes moka/prices.json here.

    \b
    Examples:
      moka prices
      moka prices --refresh --region eu-west-3

    Exit status: 0 it is shown or written, 2 the table or the answer is of no use; nothing is written then.
    """
    from moka.prices import FILE, InvalidPrices, dumps
    from moka.prices import prices as table_of

    if region and not refresh:
        raise typer.BadParameter("--region goes with --refresh.")
    with exit_on(InvalidPrices):
        table = table_of()
        if refresh:
            from commands.price_list_api import ask, client

            table = ask(client(), sorted({*table.regions, *(region or [])}), table)
            FILE.write_text(dumps(table))
    for source in table.sources:
        print(f"{source.date}  {source.prices}: {source.origin}")
    for name in table.regions:
        print(f"{name}: {len(table.ec2.get(name, {}))} instance types")
