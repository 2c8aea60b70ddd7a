type Environment = Readonly<Record<string, string | undefined>>

/** All variables of OpenTelemetry that are read. */
export const tracingVariables = [
  'OTEL_SDK_DISABLED', 'OTEL_TRACES_EXPORTER', 'OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_EXPORTER_OTLP_TRACES_HEADERS', 'OTEL_EXPORTER_OTLP_PROTOCOL', 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL',
  'OTEL_EXPORTER_OTLP_TIMEOUT', 'OTEL_EXPORTER_OTLP_TRACES_TIMEOUT', 'OTEL_EXPORTER_OTLP_COMPRESSION',
  'OTEL_EXPORTER_OTLP_TRACES_COMPRESSION', 'OTEL_SERVICE_NAME', 'OTEL_RESOURCE_ATTRIBUTES', 'OTEL_TRACES_SAMPLER',
  'OTEL_TRACES_SAMPLER_ARG', 'OTEL_PROPAGATORS', 'OTEL_BSP_SCHEDULE_DELAY', 'OTEL_BSP_MAX_QUEUE_SIZE', 'OTEL_BSP_MAX_EXPORT_BATCH_SIZE',
  'OTEL_BSP_EXPORT_TIMEOUT', 'OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT'
] as const
export type TracingVariable = typeof tracingVariables[number]

/** Variables whose value is a secret. */
export const secretTracingVariables: readonly TracingVariable[] = ['OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_EXPORTER_OTLP_TRACES_HEADERS']

/** Returns a variable's value. An empty one counts as unset, as everywhere in OpenTelemetry. */
export const tracingVariable = (env: Environment, name: TracingVariable): string | undefined => env[name]?.trim() || undefined

/** Returns the requested exporters; `otlp` by default. */
export const exportersIn = (env: Environment): string[] =>
  (tracingVariable(env, 'OTEL_TRACES_EXPORTER') ?? 'otlp').toLowerCase().split(',').map((name) => name.trim())

/** Whether traces are requested. The modules that make them are loaded only then. */
export function areTracesWanted (env: Environment): boolean {
  if (tracingVariable(env, 'OTEL_SDK_DISABLED')?.toLowerCase() === 'true' || exportersIn(env).includes('none')) return false
  return (['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_TRACES_EXPORTER'] as const)
    .some((name) => tracingVariable(env, name) !== undefined)
}
