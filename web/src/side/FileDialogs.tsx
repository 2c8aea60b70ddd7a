import { useId, useState } from 'preact/hooks'
import { type Entry } from '../core/files/folder-view.js'
import { baseName, folderOf, isArchive, joined, visible, workspaceTop } from '../core/files/paths.js'
import { announce } from '../ui/Announcer.js'
import { Button } from '../ui/Button.js'
import { Dialog } from '../ui/Dialog.js'
import { TextField } from '../ui/Field.js'
import { toast } from '../ui/toasts.js'
import { screenWords, words } from '../words/index.js'
import { offerUndo, sentence, useAction, type Action } from './action.js'
import { type SideModel } from './side-model.js'

/** A question before an operation on files. */
type Question =
  | { kind: 'file' } | { kind: 'folder' }
  | { kind: 'rename', entry: Entry } | { kind: 'move', entry: Entry } | { kind: 'forGood', entry: Entry }

export interface FileActionsHere {
  action: Action
  question: Question | null
  ask: (question: Question | null) => void
  /** Runs the operation of a question. Throws ApiError. */
  answer: (question: Question, text: string) => Promise<void>
  remove: (entry: Entry, next?: string | null) => Promise<void>
  extract: (entry: Entry) => Promise<void>
  bring: (files: readonly File[], options?: { unpack?: boolean }) => void
}

const isTree = ({ is_dir: isFolder, type }: Entry): boolean => isFolder && type !== 'symlink'

/** The operations on files of the shown folder. */
export function useFileActions (model: SideModel): FileActionsHere {
  const action = useAction()
  const [question, ask] = useState<Question | null>(null)
  const { folder, actions } = model
  const answer = async (asked: Question, text: string): Promise<void> => {
    await doAsked(model, asked, text)
    await model.changed()
  }
  return {
    action,
    question,
    ask,
    answer,
    remove: (entry, next = null) => action.run('remove', async () => {
      const { name, path } = entry
      const done = await actions.remove(path, { tree: isTree(entry) })
      if ('forGoodOnly' in done) return ask({ kind: 'forGood', entry })
      model.focusPath = next
      model.follow(path, null)
      const { trashId } = done
      const w = screenWords.value.files
      if (trashId !== null) offerUndo(w.deleted(visible(name)), () => bringBack(model, trashId))
      await model.changed()
    }),
    extract: ({ path, name }) => action.run('extract', async () => {
      const { extracted, dest, skipped } = await actions.extract(path)
      const w = screenWords.value.files
      toast([w.unpacked(visible(name), extracted, visible(dest)), skipped > 0 && w.leftOut(skipped)].filter(Boolean).join(' '))
      await model.changed()
    }),
    bring (files, { unpack = false } = {}) {
      const w = screenWords.value.files
      if (unpack && files.some(({ name }) => !isArchive(name))) return action.tell(w.notArchive)
      action.tell(null)
      model.uploads.add(files, folder.path.peek(), { unpack })
      announce(w.uploading(files.length))
    }
  }
}

/** Restores a deleted file or folder, and reports its name. */
export async function bringBack (model: SideModel, trashId: string): Promise<void> {
  const path = await model.actions.restore(trashId)
  model.focusPath = path
  toast(screenWords.value.files.back(visible(baseName(path))))
  await model.changed()
}

async function doAsked (model: SideModel, asked: Question, text: string): Promise<void> {
  const { folder, actions } = model
  const w = screenWords.value.files
  const takeBack = (from: string, now: string) => async (): Promise<void> => {
    await actions.moveBack(from, now)
    model.follow(now, from)
    await model.changed()
  }
  switch (asked.kind) {
    case 'file': return model.open(await actions.createFile(joined(folder.path.peek(), text)))
    case 'folder':
      model.focusPath = await actions.createFolder(joined(folder.path.peek(), text))
      return
    case 'rename': {
      const { path } = asked.entry
      if (text === asked.entry.name) return
      const now = await actions.rename(path, text)
      model.focusPath = now
      model.follow(path, now)
      return offerUndo(w.renamed(visible(baseName(now))), takeBack(path, now))
    }
    case 'move': {
      const { path, name } = asked.entry
      if (text === folderOf(path)) return
      const now = await actions.move(path, text)
      model.follow(path, now)
      return offerUndo(w.moved(visible(name), text === workspaceTop ? w.workspace : visible(text)), takeBack(path, now))
    }
    case 'forGood':
      await actions.remove(asked.entry.path, { tree: isTree(asked.entry), forGood: true })
      model.follow(asked.entry.path, null)
      toast(w.deleted(visible(asked.entry.name)))
  }
}

/** Shows the dialog of the current question. */
export function FileDialogs ({ actions }: { actions: FileActionsHere }) {
  const { question } = actions
  return question === null ? null : <Ask key={question.kind} question={question} actions={actions} />
}

const longestName = 255
const longestPath = 4_096

function Ask ({ question, actions }: { question: Question, actions: FileActionsHere }) {
  const [text, setText] = useState(
    question.kind === 'rename' ? question.entry.name : question.kind === 'move' ? folderOf(question.entry.path) : ''
  )
  const [problem, setProblem] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const form = useId()
  const w = screenWords.value.files
  const isSure = question.kind === 'forGood'
  const submit = async (): Promise<void> => {
    if (busy || (!isSure && text.trim() === '')) return
    setBusy(true)
    try {
      await actions.answer(question, text)
      actions.ask(null)
    } catch (error) {
      setProblem(sentence(error))
    } finally {
      setBusy(false)
    }
  }
  const { title, confirm } = saidOf(question)
  return (
    <Dialog
      open title={title} size='small' onClose={() => actions.ask(null)}
      actions={(
        <>
          <Button onClick={() => actions.ask(null)}>{words.value.common.cancel}</Button>
          <Button kind={isSure ? 'danger' : 'primary'} type='submit' form={form} busy={busy}>{confirm}</Button>
        </>
      )}
    >
      <form id={form} onSubmit={(event) => { event.preventDefault(); void submit() }}>
        {isSure
          ? <><p>{w.forGoodText}</p>{problem !== null && <p class='side-problem' role='alert'>{problem}</p>}</>
          : (
            <TextField
              label={question.kind === 'move' ? w.toFolder : w.name} value={text} onValue={setText} error={problem}
              autofocus autocomplete='off' autocapitalize='none' spellcheck={false}
              maxLength={question.kind === 'move' ? longestPath : longestName} {...question.kind === 'move' && { hint: w.toFolderHint }}
              inputRef={(input) => {
                if (input !== null && question.kind === 'rename' && document.activeElement !== input) selectStem(input)
              }}
            />
            )}
      </form>
    </Dialog>
  )
}

/** Selects the name without its extension, which usually stays. */
function selectStem (input: HTMLInputElement): void {
  const dot = input.value.lastIndexOf('.')
  queueMicrotask(() => input.setSelectionRange(0, dot > 0 ? dot : input.value.length))
}

function saidOf (question: Question): { title: string, confirm: string } {
  const w = screenWords.value.files
  switch (question.kind) {
    case 'file': return { title: w.newFile, confirm: w.create }
    case 'folder': return { title: w.newFolder, confirm: w.create }
    case 'rename': return { title: w.renameNamed(visible(question.entry.name)), confirm: w.rename }
    case 'move': return { title: w.moveNamed(visible(question.entry.name)), confirm: w.move }
    case 'forGood': return { title: w.forGoodTitle(visible(question.entry.name)), confirm: w.forGood }
  }
}
