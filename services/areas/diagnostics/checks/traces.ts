import { areTracesWanted } from '../../../ground/tracing/variables.js'
import { type Check, coded, ok, problem, warning } from '../check.js'

/** Whether the collector accepts traces; no check if tracing is not configured. */
export function tracesChecks (env: Record<string, string>): Check[] {
  return areTracesWanted(env) ? [{ id: 'traces', group: 'connections', title: 'Traces', run: async (signal) => await look(env, signal) }] : []
}

async function look (env: Record<string, string>, signal: AbortSignal) {
  const { createCollector, readTracing } = await import('../../../ground/tracing/index.js')
  const { settings, remarks } = readTracing(env, '')
  if (settings === null) return problem(remarks.join(' '), 'Correct the variables (docs/traces.md), and restart the service.')
  const collector = createCollector(settings)
  try {
    // Empty: a collector that accepts traces accepts this too.
    const refusal = await collector.send({ resource: settings.resource, scope: { name: 'agent-web-service', version: '' }, spans: [] }, signal)
    if (refusal !== null) return problem(`Traces cannot be sent: the collector ${refusal.says}.`, refusal.next)
    return remarks.length > 0 ? warning(remarks.join(' '), null) : coded(ok('The collector takes traces.'), 'traces_taken')
  } finally {
    await collector.close()
  }
}
