/** Providers that the conventions of OpenTelemetry know by another name than we do. */
const words: Readonly<Record<string, string>> = {
  azure: 'azure.ai.openai', bedrock: 'aws.bedrock', gemini: 'gcp.gemini', google: 'gcp.gemini', mistral: 'mistral_ai', vertex: 'gcp.vertex_ai',
  xai: 'x_ai'
}

/** The name of a model: servers of one's own may name theirs by the file that holds it, of which only the last part is told. */
export const modelWord = (id: string): string => /^(?:[/\\~.]|[A-Za-z]:[/\\])/.test(id) ? id.split(/[/\\]/).findLast((part) => part !== '') ?? '' : id

/** `gen_ai.provider.name` of a provider. */
export const providerWord = (id: string): string => Object.hasOwn(words, id) ? words[id] ?? id : id
