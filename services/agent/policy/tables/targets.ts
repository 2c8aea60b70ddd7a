import { globalsOf, optionsOf } from './known.js'
import { afterOptions, operandsOf } from './options.js'
import { Spelling } from './spelling.js'

const remoteCommands = /^(?:fetch|pull|push|clone|ls-remote|submodule|remote)$/
/** `user@host:path`; a path with a colon in it begins with a folder. */
const hostAndPath = /^(?:[^@/:\s]+@)?(\[[^\]]+\]|[^/:\s]+):(?!:)/
const address = /^(?:https?|ssh|git|ftps?|rsync|sftp|git\+\w+):\/\/(?:[^/@]*@)?(\[[^\]]*\]|[^/:?#]*)/i

/** The hosts that the words of a call name, for programs that take places on other machines. */
export function targetsOf (program: string, args: readonly string[]): string[] {
  switch (program) {
    case 'git': return ofGit(args)
    case 'scp':
    case 'sftp':
    case 'rsync': return operandsOf(args, globalsOf(program) ?? {}).flatMap(hostOf)
    case 'aws':
    case 'gsutil': return args.flatMap((arg) => /^(s3|gs):\/\/([^/]*)/.exec(arg)?.slice(1) ?? []).flatMap((name, index, all) => index % 2 === 0 ? [] : [`${name}.${all[index - 1] === 's3' ? 's3.amazonaws.com' : 'storage.googleapis.com'}`])
    default: return []
  }
}

function hostOf (word: string): string[] {
  const host = address.exec(word)?.[1] ?? (/^[a-z][\w+.-]*:\/\//i.test(word) ? undefined : hostAndPath.exec(word)?.[1])
  return host === undefined ? [] : [host]
}

function ofGit (args: readonly string[]): string[] {
  const at = afterOptions(args, globalsOf('git') ?? {})
  const subcommand = args[at] ?? ''
  if (!remoteCommands.test(subcommand)) return []
  const known = optionsOf('git', subcommand)?.[0]
  const [first, ...others] = operandsOf(args.slice(at + 1), known instanceof Spelling ? known : {})
  // Behind the place stand branches, and `a:b` is one of those; `remote` and `submodule` say first what is to be done.
  return [/^(?:remote|submodule)$/.test(subcommand) ? others : [first ?? '']].flat().flatMap(hostOf)
}
