"""The components as a provider of components, which programs in every language of Pulumi can use."""
