import { useEffect, useRef, useState } from 'preact/hooks'
import { api } from '../app.js'
import { type FileDiff, type GitFile, type Kept } from '../core/files/repository.js'
import { revertHunk } from '../core/files/hunks.js'
import { isOffice, kindOf } from '../core/files/file-kinds.js'
import { visible } from '../core/files/paths.js'
import { Button } from '../ui/Button.js'
import { Dialog } from '../ui/Dialog.js'
import { type DiffHunk } from '../ui/diff.js'
import { Counts, DiffView } from '../ui/DiffView.js'
import { FileName } from '../ui/FileName.js'
import { Icon } from '../ui/Icon.js'
import { ChevronRight, Ellipsis } from '../ui/icons.js'
import { Menu, type MenuEntry } from '../ui/Menu.js'
import { Skeleton } from '../ui/Skeleton.js'
import { toast } from '../ui/toasts.js'
import { screenWords, words } from '../words/index.js'
import { offerUndo, sentence, type Action } from './action.js'
import { previews } from './Documents.js'
import { sidesOfChange } from './Pictures.js'
import { reviewing } from './Reviewing.js'
import { type Section } from './sections.js'
import { type SideModel } from './side-model.js'
import { useChangeKeys } from './use-change-keys.js'

interface Shared { model: SideModel, action: Action, fixed: boolean, onDiscard: (files: readonly GitFile[]) => void }

/** How many lines of a file are shown at first, at most. */
const mostLines = 120

/** Lists changed files: first those of the chat, then all others. */
export function ChangeList ({ model, action, fixed }: Omit<Shared, 'onDiscard'>) {
  const [asked, setAsked] = useState<readonly GitFile[] | null>(null)
  const list = useRef<HTMLDivElement>(null)
  const w = screenWords.value.files.changes
  const discard = async (files: readonly GitFile[], kept: readonly Kept[] | null): Promise<void> => {
    const { undo } = await model.repository.discard(files, kept)
    const text = w.discarded(whatOf(files))
    if (undo === null) toast(text)
    else offerUndo(text, undo)
    await model.changed()
  }
  /** Discards changes; asks first only if that cannot be undone. */
  const onDiscard = (files: readonly GitFile[]): void => {
    void action.run('discard', async () => {
      const kept = await model.repository.prepareDiscard(files)
      if (kept === null) setAsked(files)
      else await discard(files, kept)
    })
  }
  const fileOf = (id: string): GitFile | undefined => model.sections.peek().flatMap(({ kind, files }) =>
    files.filter(({ path }) => `${kind} ${path}` === id))[0]
  useChangeKeys(list, {
    unfold: (id, isOpen) => model.unfold(id, isOpen),
    // Accepting a file marks it as seen.
    accept: (id) => {
      const file = fileOf(id)
      if (file !== undefined && !model.isReadOnly) void action.run('see', async () => await model.review.see(file.workspace_path, true))
    },
    giveBack: (id) => {
      const file = fileOf(id)
      if (file !== undefined && !fixed && !id.startsWith('staged ')) onDiscard([file])
    }
  })
  const discardAsked = (files: readonly GitFile[]): void => {
    setAsked(null)
    void action.run('discard', async () => await discard(files, null))
  }
  return (
    <div ref={list}>
      {model.sections.value.map((section) => (
        <ChangeSection key={section.key} section={section} model={model} action={action} fixed={fixed} onDiscard={onDiscard} />
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
    </div>
  )
}

const whatOf = ([first, ...others]: readonly GitFile[]): string => first !== undefined && others.length === 0
  ? visible(first.path)
  : screenWords.value.files.changes.countFiles(others.length + 1)

function ChangeSection ({ section: { key, kind, files }, ...shared }: { section: Section } & Shared) {
  const { model: { repository }, action, fixed, onDiscard } = shared
  const w = screenWords.value.files.changes
  const paths = files.map(({ path }) => path)
  const chosen = paths.filter((path) => repository.selected.value.has(path))
  const items = (): MenuEntry[] => key === 'staged'
    ? [{ text: w.unstageAll, onPick: () => { void action.run('unstage', async () => await repository.unstage(paths)) } }]
    : [
        { text: w.stageAll, onPick: () => { void action.run('stage', async () => await repository.stage(paths)) } },
        { text: w.discardAll, danger: true, onPick: () => onDiscard(files) }
      ]
  return (
    <section class='changes-section' aria-label={w.sections[key]}>
      <header>
        <h2>{w.sections[key]}</h2>
        {!fixed && key !== 'conflicts' && (
          <>
            <Menu label={w.actionsForSection(w.sections[key])} icon={Ellipsis} size='small' class='change-menu' items={items} />
            <Button
              kind='quiet' size='small'
              onClick={() => { for (const path of paths) repository.select(path, chosen.length === 0) }}
            >
              {chosen.length === 0 ? w.selectAll : w.clearSelection}
            </Button>
          </>
        )}
      </header>
      <ul>{files.map((file) => <Change key={file.path} file={file} kind={kind} {...shared} />)}</ul>
    </section>
  )
}

function Change ({ file, kind, model, action, fixed, onDiscard }: { file: GitFile, kind: Section['kind'] } & Shared) {
  const { repository, unfolded } = model
  const w = screenWords.value.files.changes
  const { path, workspace_path: own, old_path: old, status, untracked, conflict, binary, additions, deletions } = file
  const name = visible(path)
  const id = `${kind} ${path}`
  const isOpen = unfolded.value.has(id)
  const letter = untracked ? 'A' : conflict ? 'U' : status
  const stage = (): void => { void action.run('stage', async () => await repository.stage([path])) }
  const r = screenWords.value.review
  const isSeen = model.review.seen.value.has(own)
  const see = (): void => { void action.run('see', async () => await model.review.see(own, !isSeen)) }
  const items = (): MenuEntry[] => [
    { text: isSeen ? r.unsee : r.see, onPick: see },
    ...(status === 'D' ? [] : [{ text: w.openFile, onPick: () => model.open(own) }]),
    ...(fixed
      ? []
      : kind === 'staged'
        ? [{ text: w.unstage, onPick: () => { void action.run('unstage', async () => await repository.unstage([path])) } }]
        : [
            { text: conflict ? w.resolved : w.stage, onPick: stage },
            'line' as const,
            { text: w.discard, danger: true, onPick: () => onDiscard([file]) }
          ])
  ]
  return (
    <li class={isSeen ? 'change change-seen' : 'change'} data-change={id} data-path={path}>
      <div class='change-line'>
        {!fixed && (
          <label class='change-pick'>
            <input
              type='checkbox' aria-label={w.select(name)} checked={repository.selected.value.has(path)}
              onChange={({ currentTarget }) => repository.select(path, currentTarget.checked)}
            />
          </label>
        )}
        <button
          type='button' class='change-open' aria-expanded={isOpen} aria-keyshortcuts={fixed ? undefined : 'Space'}
          onClick={() => model.unfold(id, !isOpen)}
        >
          <span class={`entry-mark entry-mark-${letter}`} role='img' aria-label={w.states[letter] ?? letter}>{letter}</span>
          <FileName path={own} from={old} />
        </button>
        {isSeen && <span class='side-muted' role='img' aria-label={r.seen}>✓</span>}
        <Menu label={w.actionsFor(name)} icon={Ellipsis} size='small' class='change-menu' items={items} />
        {!binary && <Counts added={additions} removed={deletions} />}
        <Icon of={ChevronRight} size={14} class={isOpen ? 'change-arrow change-arrow-open' : 'change-arrow'} />
      </div>
      {isOpen && <Difference model={model} action={action} file={file} kind={kind} fixed={fixed} />}
    </li>
  )
}

/** Shows the diff of a file. The last diff stays until another one is loaded. */
function Difference ({ model, action, file, kind, fixed }: { file: GitFile, kind: Section['kind'] } & Omit<Shared, 'onDiscard'>) {
  const [diff, setDiff] = useState<FileDiff | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const { value: status } = model.repository.status
  const { path, workspace_path: own, untracked, conflict, status: letter } = file
  useEffect(() => {
    let gone = false
    model.repository.diff(path, kind).then((next) => {
      if (gone) return
      setDiff((before) => before?.diff === next.diff && before.too_large === next.too_large ? before : next)
      setProblem(null)
    }, (error: unknown) => { if (!gone) setProblem(sentence(error)) })
    return () => { gone = true }
  }, [path, kind, status])
  const w = screenWords.value.files.changes
  const revert = (hunk: DiffHunk): void => {
    void action.run('revert', async () => {
      const undo = await revertHunk(api, model.sessionId, own, hunk)
      if (undo === null) action.tell(w.hunkGone)
      else {
        offerUndo(w.reverted(visible(own)), async () => {
          if (!await undo()) toast(w.notUndone, { kind: 'bad' })
          await model.changed()
        })
      }
      await model.changed()
    })
  }
  if (problem !== null) return <p class='side-problem' role='alert'>{problem}</p>
  if (diff === null) return <div class='side-padded'><Skeleton /></div>
  if (diff.binary && kindOf(path) !== 'picture' && !isOffice(path)) return <p class='side-note'>{w.noText}</p>
  if (diff.too_large) return <p class='side-note'>{w.tooLarge}</p>
  // Staged changes are in the index too, not only in the file, and a new file is deleted as a whole.
  const canRevert = !fixed && kind === 'unstaged' && !untracked && !conflict && letter === 'M'
  return (
    <div class='change-diff'>
      <DiffView
        diff={diff.diff} bare lines={mostLines} {...reviewing(model, () => own)}
        {...previews(model, sidesOfChange(model, file, kind === 'staged'), { own })}
        {...canRevert && { onRevert: (_, hunk) => revert(hunk) }}
      />
    </div>
  )
}
