"""The plugin of pulumi-awsx: `awsx.ec2.Vpc`."""
