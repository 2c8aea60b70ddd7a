import { Type } from '@sinclair/typebox'
import { Closed, Maybe, Nullable, OneOf } from './common.js'

const Brought = Closed({ name: Type.String(), description: Type.String() })
const name = Type.String({ minLength: 1, maxLength: 255, description: 'name of its folder in `plugins` of the profile\'s home' })

export const Plugin = Closed({
  name: Type.String(),
  description: Type.String(),
  version: Nullable(Type.String()),
  author: Nullable(Type.String()),
  enabled: Type.Boolean({ description: 'its content at the time when it was switched on is in use' }),
  changed: Type.Boolean({ description: 'its folder has changed since; the changes apply once it is switched on again' }),
  problem: Nullable(Type.String({ description: 'why it cannot be switched on, as a sentence' })),
  seal: Type.String({ description: 'version of the present files; send it back to switch on exactly these' }),
  brings: Closed({
    commands: Type.Array(Brought),
    skills: Type.Array(Brought),
    mcp_servers: Type.Array(Closed({
      name: Type.String(),
      runs: Nullable(Type.String({ description: 'the program that is started on this machine, with its variables and arguments' })),
      url: Nullable(Type.String({ description: 'the address that it connects to' })),
      variables: Type.Array(Type.String(), { description: 'variables of the profile\'s .env that it receives' }),
      sandbox: Type.Boolean(),
      problem: Nullable(Type.String())
    }))
  }),
  unused: Type.Array(Type.String(), { description: 'folders whose contents this service does not use' }),
  files: Type.Array(Closed({
    path: Type.String(),
    size: Type.Integer({ description: 'bytes' }),
    executable: Type.Boolean(),
    change: Nullable(OneOf(['added', 'changed', 'removed'], 'how the file has changed since the plugin was switched on; null: unchanged'))
  }), { description: 'changed ones first; at most 500' }),
  files_count: Type.Integer(),
  size: Type.Integer({ description: 'bytes of all files' })
}, { title: 'Plugin' })

export const PluginList = Closed({ plugins: Type.Array(Plugin) }, { title: 'PluginList' })

export const SetPlugin = Type.Object({
  name,
  enabled: Type.Boolean(),
  seal: Maybe(Type.String({
    maxLength: 100, description: 'version of the files that you reviewed; absent: the present files are switched on'
  }))
})
export const PluginReply = Closed({ ok: Type.Literal(true), plugin: Plugin }, { title: 'PluginReply' })

export const PluginFileQuery = Type.Object({
  name, path: Type.String({ minLength: 1, maxLength: 4_000, description: 'path of the file, relative to the folder of the plugin' })
})
export const PluginFile = Closed({
  content: Nullable(Type.String({ description: 'the present content; null: the file does not exist' })),
  diff: Nullable(Type.String({
    description: 'unified diff from the copy in use to the present file; null: no difference, too many differences, or the plugin is off'
  }))
}, { title: 'PluginFile' })
