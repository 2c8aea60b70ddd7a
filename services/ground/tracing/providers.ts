/** Providers that have another name in the OpenTelemetry conventions. */
const words: Readonly<Record<string, string>> = {
  azure: 'azure.ai.openai', bedrock: 'aws.bedrock', gemini: 'gcp.gemini', google: 'gcp.gemini', mistral: 'mistral_ai', vertex: 'gcp.vertex_ai',
  xai: 'x_ai'
}

/** Returns the name of a model. A self-hosted server may name it by the path of its file, of which only the last part is returned. */
export const modelWord = (id: string): string => /^(?:[/\\~.]|[A-Za-z]:[/\\])/.test(id) ? id.split(/[/\\]/).findLast((part) => part !== '') ?? '' : id

/** Returns the value of `gen_ai.provider.name` for a provider. */
export const providerWord = (id: string): string => Object.hasOwn(words, id) ? words[id] ?? id : id
