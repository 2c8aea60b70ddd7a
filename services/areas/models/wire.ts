import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { type Static } from '@sinclair/typebox'
import { type ModelRow, type ModelsReply } from '../../../schemas/models.js'
import { type Cost } from '../../providers/index.js'
import { type ListedModel, type ModelGroups } from './picker.js'

const compress = promisify(gzip)

/** The picker's models as they are sent. The same content has the same tag, across profiles, processes and time. */
export interface ModelAnswer {
  etag: string
  body: Buffer
  /** Compressed once, off the event loop, when it is first requested. */
  gzipped (): Promise<Buffer>
}

export function finishedAnswer (reply: Static<typeof ModelsReply>): ModelAnswer {
  const body = Buffer.from(JSON.stringify(reply))
  let compressed: Promise<Buffer> | undefined
  return { body, etag: `W/"${hash('sha256', body, 'base64url').slice(0, 22)}"`, gzipped: async () => await (compressed ??= compress(body)) }
}

export function modelToWire ({ id, label, contextLength, cost, sees, thinks }: ListedModel): Static<typeof ModelRow> {
  return {
    id, label, name: label, context_length: contextLength, price: cost === null ? null : priceToWire(cost), vision: sees, reasoning: thinks
  }
}

function priceToWire ({ input, output, tiers }: Cost): NonNullable<Static<typeof ModelRow>['price']> {
  return {
    input: rounded(input),
    output: rounded(output),
    ...(tiers !== undefined && {
      tiers: tiers.map((tier) => ({ input_tokens_above: tier.inputTokensAbove, input: rounded(tier.input), output: rounded(tier.output) }))
    })
  }
}

/** Removes rounding errors of multiplying a price per token by a million. */
const rounded = (dollars: number): number => Number(dollars.toPrecision(10))

export function groupsToWire ({ activeProvider, defaultModel, groups, aliases, badges }: ModelGroups): Static<typeof ModelsReply> {
  return {
    active_provider: activeProvider,
    default_model: defaultModel,
    configured_model_badges: badges,
    groups: groups.map(({ providerId, displayName, models, extraModels, endpointError }) => ({
      provider: displayName,
      name: displayName,
      provider_id: providerId,
      models: models.map(modelToWire),
      extra_models: extraModels.map(modelToWire),
      ...(endpointError !== null && { models_endpoint_error: endpointError })
    })),
    aliases
  }
}
