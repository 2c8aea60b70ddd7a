// Makes services/providers/catalog.json, the checked-in snapshot of model facts, from an unpacked
// @earendil-works/pi-ai package (MIT):
//   npm pack @earendil-works/pi-ai@<version> && tar xzf earendil-works-pi-ai-*.tgz
//   node scripts/build-model-catalog.js ./package
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = process.argv[2]
if (folder === undefined) {
  console.error('usage: node scripts/build-model-catalog.js <unpacked package folder>')
  process.exit(1)
}

const levels = ['minimal', 'low', 'medium', 'high', 'xhigh', 'max']
const json = (...path) => JSON.parse(readFileSync(join(folder, ...path), 'utf8'))

/** In the source a missing level is supported if it is one of the usual ones; null means that the model does not support it. */
function effortsOf ({ reasoning, thinkingLevelMap: map = {} }) {
  if (!reasoning) return []
  const supported = levels.filter((level) => level === 'xhigh' || level === 'max' ? map[level] != null : map[level] !== null)
  return map.off === null ? supported : ['none', ...supported]
}

function slim (model) {
  const rates = ({ input, output, cacheRead, cacheWrite }) => [input, output, cacheRead, cacheWrite]
  const entry = {
    id: model.id,
    name: model.name,
    cost: rates(model.cost),
    contextWindow: model.contextWindow,
    maxTokens: model.maxTokens,
    input: model.input.filter((kind) => kind === 'text' || kind === 'image'),
    efforts: effortsOf(model)
  }
  const tiers = model.cost.tiers ?? []
  if (tiers.length > 0) entry.tiers = tiers.map((tier) => [tier.inputTokensAbove, ...rates(tier)])
  if (model.compat?.forceAdaptiveThinking) entry.adaptiveThinking = true
  return entry
}

const { name, version, license } = json('package.json')
const providers = ['openai', 'anthropic', 'google', 'openrouter'].map((provider) => {
  const byId = new Map()
  for (const group of Object.values(json('dist', 'providers', 'data', `${provider}.json`))) {
    for (const model of Object.values(group)) {
      // A negative price means "depends on the routing"; batch variants do not answer in a chat.
      if (model.type !== 'chat' || model.cost.input < 0 || model.id.endsWith(':batch')) continue
      byId.set(model.id, slim(model))
    }
  }
  const rows = [...byId.values()].sort((a, b) => a.id < b.id ? -1 : 1)
  return `    ${JSON.stringify(provider)}: [\n${rows.map((row) => `      ${JSON.stringify(row)}`).join(',\n')}\n    ]`
})

const source = {
  package: name,
  version,
  license,
  note: 'Model facts taken from this MIT-licensed package. Rates are USD per million tokens: input, output, cache read, cache write; a tier starts with the input tokens above which it applies to the whole request.',
  madeBy: 'scripts/build-model-catalog.js'
}
const target = new URL('../services/providers/catalog.json', import.meta.url)
writeFileSync(target, `{\n  "source": ${JSON.stringify(source)},\n  "providers": {\n${providers.join(',\n')}\n  }\n}\n`)
