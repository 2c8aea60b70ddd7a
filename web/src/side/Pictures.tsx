import { type ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { api } from '../app.js'
import { type GitFile } from '../core/files/repository.js'
import { kindOf } from '../core/files/file-kinds.js'
import { type DiffFile } from '../ui/diff.js'
import { Skeleton } from '../ui/Skeleton.js'
import { screenWords } from '../words/index.js'
import { sizeText } from './format.js'
import { type SideModel } from './side-model.js'
import { useBytes } from './use-bytes.js'
import './pictures.css'

/** The largest picture that is shown, in bytes: the limit up to which the service reads files from git and checkpoints. */
const mostBytes = 20 * 1_024 * 1_024

/** The addresses of a file before and after; null if it does not exist on that side. */
export interface Sides { before: string | null, after: string | null }

/** Returns a function for diff views that shows changed pictures beside each other. */
export function pictures (sidesOf: (file: DiffFile) => Sides): (file: DiffFile) => ComponentChildren {
  return (file) => {
    if (kindOf(file.path) !== 'picture' || !(file.binary || file.hunks.length > 0)) return null
    const { before, after } = sidesOf(file)
    return <Pictures before={file.state === 'created' ? null : before} after={file.state === 'deleted' ? null : after} path={file.path} />
  }
}

/** Returns the sides of a file in the list of changes. */
export function sidesOfChange ({ sessionId, actions }: SideModel, file: GitFile, isStaged: boolean): (file: DiffFile) => Sides {
  const { path, old_path: old, workspace_path: own, untracked } = file
  return ({ edition: v }) => {
    const stored = (of: string, name: string): string => api.url('/api/git/file', { session_id: sessionId, path: name, stored: of, v })
    return isStaged
      ? { before: stored('head', old ?? path), after: stored('index', path) }
      : { before: untracked ? null : stored('index', path), after: actions.rawUrl(own, v) }
  }
}

/** Returns the sides of a file that has changed since a checkpoint, up to another one or up to now. */
export function sidesSince ({ sessionId, actions }: SideModel, checkpoint: string, to: string | null): (file: DiffFile) => Sides {
  const kept = (id: string, path: string): string => api.url('/api/rollback/file', { session_id: sessionId, checkpoint: id, path })
  return ({ path, from, edition }) => ({
    before: kept(checkpoint, from ?? path), after: to === null ? actions.rawUrl(path, edition) : kept(to, path)
  })
}

/** Returns the sides of a file in a commit. */
export function sidesOfCommit ({ sessionId }: SideModel, sha: string): (file: DiffFile) => Sides {
  const stored = (of: string, path: string): string => api.url('/api/git/file', { session_id: sessionId, path, stored: of })
  return ({ path, from }) => ({ before: stored(`${sha}^`, from ?? path), after: stored(sha, path) })
}

function Pictures ({ before, after, path }: Sides & { path: string }) {
  const w = screenWords.value.diff
  return (
    <div class='pictures'>
      {before === null ? null : <Picture key={before} url={before} name={w.before} path={path} />}
      {after === null ? null : <Picture key={after} url={after} name={w.after} path={path} />}
    </div>
  )
}

/** Shows a picture with its size. In an image element, an SVG neither runs scripts nor loads anything. */
function Picture ({ url, name, path }: { url: string, name: string, path: string }) {
  const read = useBytes(url, mostBytes)
  const [source, setSource] = useState<string | null>(null)
  const [pixels, setPixels] = useState<readonly [width: number, height: number] | null>(null)
  const [isUnreadable, setUnreadable] = useState(false)
  const bytes = read.state === 'read' ? read.bytes : null
  useEffect(() => {
    if (bytes === null) return
    // Browsers recognise all other types by their bytes.
    const made = URL.createObjectURL(new Blob([bytes], { type: /\.svg$/i.test(path) ? 'image/svg+xml' : '' }))
    setSource(made)
    return () => URL.revokeObjectURL(made)
  }, [bytes])
  const w = screenWords.value.diff
  const isGone = isUnreadable || read.state === 'failed' || read.state === 'large'
  return (
    <figure class='picture'>
      <figcaption>
        <b>{name}</b>
        {pixels === null ? null : <span>{w.pixels(...pixels)}</span>}
        {bytes === null ? null : <span>{sizeText(bytes.byteLength)}</span>}
      </figcaption>
      {isGone
        ? <p class='diff-note'>{w.noPicture}</p>
        : source === null
          ? <Skeleton lines={3} />
          : <img
              src={source} alt={`${name}: ${path}`} onError={() => setUnreadable(true)}
              onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => setPixels([naturalWidth, naturalHeight])}
            />}
    </figure>
  )
}
