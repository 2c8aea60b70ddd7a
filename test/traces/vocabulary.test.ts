import { readFileSync } from 'node:fs'
import t from '#test'
import { tracesChecks } from '../../services/areas/diagnostics/checks/traces.js'
import { tracingVariables } from '../../services/ground/tracing/variables.js'
import { vocabulary } from '../../services/ground/tracing/vocabulary.js'
import { startCollector } from '../support/collector.js'

const text = readFileSync('docs/traces.md', 'utf8')

t.test('the page about traces has every span with its attributes, and every variable', (t) => {
  const rows = [...text.matchAll(/^\| `([^`]+)` \| (internal|server|client) \| .* \| (.*) \|$/gm)].map(([, , kind, attributes = '']) => ({ kind, attributes: [...attributes.matchAll(/`([^`]+)`/g)].map(([, name]) => name) }))
  t.strictSame(rows, Object.values(vocabulary).map(({ kind, attributes }) => ({ kind, attributes: [...attributes] })))
  for (const word of Object.values(vocabulary)) for (const name of 'texts' in word ? word.texts : []) t.ok(text.includes(`\`${name}\``), name)
  const named = (name: string): boolean => text.includes(`\`${name}\``) || text.includes(`\`${name.replace('_TRACES_', '_')}\``)
  t.same(tracingVariables.filter((name) => !named(name)), [])
})

t.test('the doctor says whether the collector takes traces, and has no such line where there are none', async (t) => {
  t.same(tracesChecks({}), [])
  const collector = await startCollector(t)
  const look = async (env: Record<string, string> = {}) => await tracesChecks({ ...collector.env, ...env })[0]!.run(new AbortController().signal)
  t.match(await look(), { status: 'ok' })
  t.same([collector.requests.length, collector.spans], [1, []])
  collector.fault = (response) => response.writeHead(401).end()
  t.match(await look({ OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20secret-of-mine' }), { status: 'error', message: /does not accept the credentials/, fix: /OTEL_EXPORTER_OTLP_HEADERS/ })
  t.match(await look({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }), { status: 'error', message: /Traces cannot be sent/ })
  t.match(await look({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }), { status: 'error', message: /only http\/protobuf/ })
  collector.fault = null
  t.match(await look({ OTEL_PROPAGATORS: 'b3' }), { status: 'warning' })
})
