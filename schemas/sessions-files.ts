import { Type } from '@sinclair/typebox'
import { Anything, Closed, Count, Id, Nullable, OneOf } from './common.js'
import { Message, ToolCard } from './sessions-messages.js'
import { OkSession, SessionRow, Title } from './sessions.js'

export const ImportAnswer = Closed({
  ...OkSession.properties,
  dropped: Type.Optional(Closed({
    system: Count('how many messages of the role system'), context: Count('how many entries of context_messages that differ from their messages')
  })),
  warning: Type.Optional(Type.String({ description: 'what was left out, as a sentence' }))
}, { title: 'ImportAnswer' })

export const ExportQuery = Type.Object({
  session_id: Id('session'),
  format: Type.Optional(Type.String({ description: 'json (default) or html' })),
  theme: Type.Optional(Type.String({ description: 'html: light or dark' })),
  palette: Type.Optional(Type.String({ maxLength: 20_000, description: 'html: CSS variables, a JSON object in base64' }))
})
const ModelMessage = Closed({
  role: OneOf(['system', 'user', 'assistant', 'tool']),
  content: Type.Unsafe<string | Array<Record<string, unknown>>>({
    type: ['string', 'array'],
    items: Anything('a part: text, reasoning, file, tool-call, tool-result and others; open, because providers add keys of their own')
  }),
  providerOptions: Type.Optional(Anything('options for the provider, by its id; open, because each provider defines its own'))
}, { title: 'ModelMessage', description: 'A message as the model gets it, in the form of the AI SDK' })
const ExportDocument = Closed({
  format: Type.Integer({ description: 'version of the export format' }),
  ...SessionRow.properties,
  threshold_tokens: Type.Optional(Nullable(Type.Integer())),
  last_prompt_tokens: Type.Optional(Nullable(Type.Integer())),
  compression_summary: Type.Optional(Nullable(Type.String())),
  compressed_before: Type.Optional(Nullable(Type.Integer(), 'index of the first message that the summary does not replace')),
  messages: Type.Array(Message),
  tool_calls: Type.Array(ToolCard),
  context_messages: Type.Array(Nullable(ModelMessage), {
    description: 'one entry per message; null: the model does not get the message'
  })
}, { title: 'ExportDocument', description: 'A session in the form that an import accepts' })
export const htmlPage = { 'text/html': { schema: Type.String({ contentMediaType: 'text/html' }) } }
export const ExportFile = {
  description: 'the file, as an attachment', content: { 'application/json': { schema: ExportDocument }, ...htmlPage }
}
export const ImportBody = Type.Object({
  messages: Type.Array(Type.Unknown({ description: 'a message of any program; keys that `Message` does not have are left out' }), {
    description: 'in chat-completions form'
  }),
  title: Title,
  workspace: Type.Optional(Type.String({ minLength: 1 })),
  model: Type.Optional(Type.String()),
  model_provider: Type.Optional(Type.String()),
  tool_calls: Type.Optional(Type.Array(Type.Unknown({ description: 'a card, as `ToolCard`; other keys are left out' }))),
  context_messages: Type.Optional(Type.Array(Type.Unknown(), {
    description: 'the message that the model gets for each message, as in exports'
  })),
  pinned: Type.Optional(Type.Boolean())
})
