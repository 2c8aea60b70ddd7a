import { type Static } from '@sinclair/typebox'
import { type QueuedMessage } from '../../../schemas/queue.js'
import { attachmentToWire, wishesIn } from '../chat/index.js'
import { type Entry } from './rows.js'

export function entryToWire (entry: Entry): Static<typeof QueuedMessage> {
  const { id, message, attachments, createdAt, notBefore, version, model, modelProvider, explicitModelPick, workspace } = entry
  const { effort, personality } = wishesIn(entry)
  return {
    id,
    message,
    attachments: attachments.map(attachmentToWire),
    created_at: createdAt,
    not_before: notBefore,
    version,
    ...(model === null ? {} : { model }),
    ...(modelProvider === null ? {} : { model_provider: modelProvider }),
    ...(explicitModelPick ? { explicit_model_pick: true } : {}),
    ...(effort === undefined ? {} : { effort }),
    ...(personality === undefined ? {} : { personality }),
    ...(workspace === null ? {} : { workspace })
  }
}
