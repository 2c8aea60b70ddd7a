import { type Look } from '../../services/agent/policy/git/look.js'

const folder = '/home/ann/workspace'
const files: Readonly<Record<string, string>> = {
  '.git/HEAD': 'ref: refs/heads/main\n',
  '.git/config': '[remote "origin"]\n\turl = ./mirror\n[branch "main"]\n\tremote = origin\n'
}
const folders = ['.git', '.git/objects', '.git/refs', 'mirror', 'mirror/.git']

/** A workspace that is a repository whose only remote is inside of it, so that its address needs no permission of its own. */
export const lookInRepository: Look = (path) => {
  const name = path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : ''
  if (folders.includes(name)) return { kind: 'folder' }
  const text = files[name]
  return text === undefined ? { kind: 'nothing' } : { kind: 'file', text }
}
