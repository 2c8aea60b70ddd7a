import { readFileSync } from 'node:fs'
import { within } from '../tools/containment.js'

/**
 * Runs in the sandbox, before the program: `$1` lists what must be mounted there, the rest is the program. Another command that works in
 * the same folder could have replaced a place that was checked by a link, before bubblewrap mounted it.
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
 * Returns the command to run instead of `program`. It starts the program only if everything is mounted as it was checked: each of `paths`,
 * real paths of folders and files, under its own name, and something in the place of each of `covered`.
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

/** Returns how the kernel will list the path once it is mounted under its own name; of several mounts, the last one counts. */
function mountedAt (mounts: readonly MountHere[], path: string): string | null {
  const point = escaped(path)
  const found = mounts.findLast((mount) => within(mount.point, point))
  if (found === undefined) return null
  const below = point.slice(found.point === '/' ? 0 : found.point.length)
  return `${found.device} ${found.root === '/' ? below || '/' : found.root + below} ${point}`
}

const escaped = (path: string): string => path.replace(/[ \t\n\\]/g, (sign) => `\\${sign.charCodeAt(0).toString(8).padStart(3, '0')}`)
