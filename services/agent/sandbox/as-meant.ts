import { readFileSync } from 'node:fs'
import { within } from '../tools/containment.js'

/**
 * Runs inside the sandbox, before the program: `$1` has what must be mounted there, the rest is the program. Another command that works in
 * the same folder could have put a link in the place of one that was looked at, before bubblewrap came to it.
 */
const script = `nl='
'
seen=$nl
while read -r id parent device root point rest; do seen="$seen$device $root $point$nl"; done </proc/self/mountinfo
while IFS= read -r wanted; do
  case "$seen" in
    *"$wanted$nl"*) ;;
    *) echo 'The workspace changed while the sandbox was made, so the command was not run. Try again.' >&2; exit 125 ;;
  esac
done <<end
$1
end
shift
exec "$@"`

/**
 * The program to run in the place of `program`, which begins only where all is mounted as it was looked at: each of `paths`, real paths of
 * folders and files, under its own name, and something in the place of each of `covered`.
 */
export function asMeant (paths: readonly string[], covered: readonly string[], program: string, argv: readonly string[]): string[] {
  const mounts = mountsHere()
  const wanted = [...paths.flatMap((path) => mountedAt(mounts, path) ?? []), ...covered.map((path) => ` ${escaped(path)}`)]
  return wanted.length === 0 ? [program, ...argv] : ['/bin/sh', '-c', script, 'sh', wanted.join('\n'), program, ...argv]
}

interface MountHere { device: string, root: string, point: string }

function mountsHere (): MountHere[] {
  const lines = readFileSync('/proc/self/mountinfo', 'utf8').split('\n')
  return lines.flatMap((line) => {
    const [, , device, root, point] = line.split(' ')
    return device === undefined || root === undefined || point === undefined ? [] : [{ device, root, point }]
  })
}

/** As the kernel tells of the path once it is mounted under its own name; the last one of several mounts counts. */
function mountedAt (mounts: readonly MountHere[], path: string): string | null {
  const point = escaped(path)
  const found = mounts.findLast((mount) => within(mount.point, point))
  if (found === undefined) return null
  const below = point.slice(found.point === '/' ? 0 : found.point.length)
  return `${found.device} ${found.root === '/' ? below || '/' : found.root + below} ${point}`
}

const escaped = (path: string): string => path.replace(/[ \t\n\\]/g, (sign) => `\\${sign.charCodeAt(0).toString(8).padStart(3, '0')}`)
