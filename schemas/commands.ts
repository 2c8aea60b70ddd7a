import { Type } from '@sinclair/typebox'
import { Closed } from './common.js'

const Command = Closed({
  name: Type.String({ description: 'without the slash' }),
  description: Type.String(),
  category: Type.String(),
  aliases: Type.Array(Type.String()),
  args_hint: Type.String({ description: 'hint for the arguments; empty: it takes none' }),
  subcommands: Type.Array(Type.String()),
  cli_only: Type.Boolean(),
  gateway_only: Type.Boolean()
}, { title: 'Command' })

export const CommandsQuery = Type.Object({
  session_id: Type.Optional(Type.String({ maxLength: 200, description: 'include the commands of the workspace of this session' }))
})
export const CommandList = Closed({ commands: Type.Array(Command) }, { title: 'CommandList' })

export const BundleList = Closed({
  bundles: Type.Array(Closed({
    name: Type.String(), description: Type.String(), skill_count: Type.Integer(), source: Type.Literal('bundle')
  }))
}, { title: 'BundleList' })

export const CommandLine = Type.Object({
  command: Type.String({ minLength: 1, maxLength: 100_000, description: 'the command with its arguments; the slash is optional' })
})

export const ResolvedBundle = Closed({
  name: Type.String(),
  source: Type.Literal('bundle'),
  message: Type.String({ description: 'the message to send' }),
  loaded_skills: Type.Array(Type.String()),
  missing_skills: Type.Array(Type.String())
}, { title: 'ResolvedBundle' })

export const CommandOutput = Closed({ output: Type.String() }, { title: 'CommandOutput' })
