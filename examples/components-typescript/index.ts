import * as pulumi from "@pulumi/pulumi";

// What `pulumi package add ../../provider` generates for all components, written out for one of them: then
// `import * as moka from "@pulumi/moka"` and `new moka.aws.Network(...)` have its place.
interface NetworkArgs {
    region: string;
    cidr: string;
    zones: string[];
    nat?: "single" | "zonal";
    retain?: boolean;
}

class Network extends pulumi.ComponentResource {
    declare public readonly vpcId: pulumi.Output<string>;
    declare public readonly privateSubnets: pulumi.Output<Record<string, string>>;

    constructor(name: string, args: NetworkArgs, opts?: pulumi.ComponentResourceOptions) {
        const outputs = { vpcId: undefined, privateSubnets: undefined };
        super("moka:aws:Network", name, { ...args, ...outputs }, opts, true);
    }
}

const network = new Network("demo", {
    region: "us-east-1", cidr: "10.0.0.0/16", zones: ["us-east-1a", "us-east-1b"], nat: "single", retain: false,
});

export const vpc = network.vpcId;
export const subnets = network.privateSubnets;
