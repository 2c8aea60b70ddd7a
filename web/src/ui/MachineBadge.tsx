import { visible } from '../core/files/paths.js'
import { words } from '../words/index.js'
import { Badge } from './Badge.js'

/** Names the other machine that a folder is on. */
export function MachineBadge ({ name }: { name: string }) {
  return <Badge class='badge-machine'><span class='visually-hidden'>{words.value.common.machine}: </span><bdi>{visible(name)}</bdi></Badge>
}
