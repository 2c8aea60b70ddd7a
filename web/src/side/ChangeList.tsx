import { useEffect, useState } from 'preact/hooks'
import { type ChangeGroup, type FileDiff, type GitFile, type Kept } from '../core/files/repository.js'
import { visible } from '../core/files/paths.js'
import { Badge } from '../ui/Badge.js'
import { Button } from '../ui/Button.js'
import { Dialog } from '../ui/Dialog.js'
import { Counts, DiffView } from '../ui/DiffView.js'
import { Icon } from '../ui/Icon.js'
import { ChevronRight } from '../ui/icons.js'
import { Skeleton } from '../ui/Skeleton.js'
import { toast } from '../ui/toasts.js'
import { screenWords, words } from '../words/index.js'
import { offerUndo, sentence, type Deed } from './deed.js'
import { type SideModel } from './side-model.js'

interface Shared { model: SideModel, deed: Deed, fixed: boolean, onDiscard: (files: readonly GitFile[]) => void }

/** Lists changed files: conflicts, staged files, all others. */
export function ChangeList ({ model, deed, fixed }: Omit<Shared, 'onDiscard'>) {
  const [asked, setAsked] = useState<readonly GitFile[] | null>(null)
  const w = screenWords.value.files.changes
  const discard = async (files: readonly GitFile[], kept: readonly Kept[] | null): Promise<void> => {
    const { undo } = await model.repository.discard(files, kept)
    const text = w.discarded(whatOf(files))
    if (undo === null) toast(text)
    else offerUndo(text, undo)
    await model.changed()
  }
  /** Asks only if the discard cannot be undone. */
  const onDiscard = (files: readonly GitFile[]): void => {
    void deed.run('discard', async () => {
      const kept = await model.repository.prepareDiscard(files)
      if (kept === null) setAsked(files)
      else await discard(files, kept)
    })
  }
  const discardAsked = (files: readonly GitFile[]): void => {
    setAsked(null)
    void deed.run('discard', async () => await discard(files, null))
  }
  return (
    <>
      {model.repository.groups.value.map((group) => (
        <Group key={group.key} group={group} model={model} deed={deed} fixed={fixed} onDiscard={onDiscard} />
      ))}
      {asked !== null && (
        <Dialog
          open size='small' title={w.discardTitle} onClose={() => setAsked(null)}
          actions={(
            <>
              <Button onClick={() => setAsked(null)}>{words.value.common.cancel}</Button>
              <Button kind='danger' onClick={() => discardAsked(asked)}>{w.discard}</Button>
            </>
          )}
        >
          <p>{w.discardText(whatOf(asked))}</p>
        </Dialog>
      )}
    </>
  )
}

const whatOf = ([first, ...others]: readonly GitFile[]): string => first !== undefined && others.length === 0
  ? visible(first.path)
  : screenWords.value.files.changes.countFiles(others.length + 1)

function Group ({ group: { key, kind, files }, ...shared }: { group: ChangeGroup } & Shared) {
  const { model: { repository }, deed, fixed, onDiscard } = shared
  const w = screenWords.value.files.changes
  const paths = files.map(({ path }) => path)
  return (
    <section class='changes-group' aria-label={w.groups[key]}>
      <header>
        <h2>{w.groups[key]} <Badge>{files.length}</Badge></h2>
        {!fixed && key === 'changes' && <Button kind='quiet' size='small' onClick={() => onDiscard(files)}>{w.discardAll}</Button>}
        {!fixed && key === 'changes' && (
          <Button kind='quiet' size='small' onClick={() => { void deed.run('stage', async () => await repository.stage(paths)) }}>
            {w.stageAll}
          </Button>
        )}
        {!fixed && key === 'staged' && (
          <Button kind='quiet' size='small' onClick={() => { void deed.run('unstage', async () => await repository.unstage(paths)) }}>
            {w.unstageAll}
          </Button>
        )}
      </header>
      <ul>{files.map((file) => <Change key={file.path} file={file} kind={kind} {...shared} />)}</ul>
    </section>
  )
}

function Change ({ file, kind, model, deed, fixed, onDiscard }: { file: GitFile, kind: ChangeGroup['kind'] } & Shared) {
  const { repository, unfolded } = model
  const w = screenWords.value.files.changes
  const { path, old_path: old, status, untracked, conflict, binary, additions, deletions } = file
  const name = visible(path)
  const id = `${kind} ${path}`
  const isOpen = unfolded.value.has(id)
  const letter = untracked ? 'N' : conflict ? 'U' : status
  const toggle = (): void => {
    const next = new Set(unfolded.value)
    if (!next.delete(id)) next.add(id)
    unfolded.value = next
  }
  return (
    <li class='change'>
      <div class='change-line'>
        {!fixed && (
          <label class='change-pick'>
            <input
              type='checkbox' aria-label={w.select(name)} checked={repository.selected.value.has(path)}
              onChange={({ currentTarget }) => repository.select(path, currentTarget.checked)}
            />
          </label>
        )}
        <button type='button' class='change-open' aria-expanded={isOpen} title={name} onClick={toggle}>
          <Icon of={ChevronRight} size={14} class='change-arrow' />
          <span class={`entry-mark entry-mark-${letter}`} role='img' aria-label={w.states[letter] ?? letter}>{letter}</span>
          <bdi class='change-name'>{old === null ? name : `${visible(old)} → ${name}`}</bdi>
          {!binary && <Counts added={additions} removed={deletions} />}
        </button>
        {!fixed && kind === 'staged' && (
          <Button
            kind='quiet' size='small' label={w.unstageNamed(name)}
            onClick={() => { void deed.run('unstage', async () => await repository.unstage([path])) }}
          >
            {w.unstage}
          </Button>
        )}
        {!fixed && kind === 'unstaged' && (
          <>
            <Button kind='quiet' size='small' label={w.discardNamed(name)} onClick={() => onDiscard([file])}>{w.discard}</Button>
            <Button
              size='small' label={conflict ? w.resolvedNamed(name) : w.stageNamed(name)}
              onClick={() => { void deed.run('stage', async () => await repository.stage([path])) }}
            >
              {conflict ? w.resolved : w.stage}
            </Button>
          </>
        )}
      </div>
      {isOpen && <Difference model={model} file={file} kind={kind} />}
    </li>
  )
}

/** The last diff stays until another one is loaded. */
function Difference ({ model, file, kind }: { model: SideModel, file: GitFile, kind: ChangeGroup['kind'] }) {
  const [diff, setDiff] = useState<FileDiff | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const { value: status } = model.repository.status
  useEffect(() => {
    let gone = false
    model.repository.diff(file.path, kind).then((next) => {
      if (gone) return
      setDiff((before) => before?.diff === next.diff && before.too_large === next.too_large ? before : next)
      setProblem(null)
    }, (error: unknown) => { if (!gone) setProblem(sentence(error)) })
    return () => { gone = true }
  }, [file.path, kind, status])
  const w = screenWords.value.files.changes
  if (problem !== null) return <p class='side-problem' role='alert'>{problem}</p>
  if (diff === null) return <div class='side-padded'><Skeleton /></div>
  if (diff.binary) return <p class='side-note'>{w.noText}</p>
  if (diff.too_large) return <p class='side-note'>{w.tooLarge}</p>
  return <DiffView diff={diff.diff} bare numbers={false} />
}
