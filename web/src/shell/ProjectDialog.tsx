import { useState } from 'preact/hooks'
import { type Wire } from '../core/service/api.js'
import { FolderField, LazyFolderChooser } from '../side/FolderField.js'
import { Button } from '../ui/Button.js'
import { Dialog } from '../ui/Dialog.js'
import { ErrorState } from '../ui/ErrorState.js'
import { TextArea } from '../ui/Field.js'
import { toast } from '../ui/toasts.js'
import { useRequest } from '../ui/use-request.js'
import { screenWords, words } from '../words/index.js'
import { setUpProject } from './project-actions.js'

/** Sets where new chats of a project begin, and what the agent is told in all of its chats. */
export function ProjectDialog ({ project, onClose }: { project: Wire<'Project'>, onClose: () => void }) {
  const { project_id: id, name } = project
  const [folder, setFolder] = useState(project.workspace ?? '')
  const [instructions, setInstructions] = useState(project.instructions ?? '')
  const [isChoosing, setChoosing] = useState(false)
  const { isBusy, error, run } = useRequest()
  const w = screenWords.value.rail.project
  const save = async (): Promise<void> => {
    await run(async () => {
      // What is unchanged is not sent: its folder may be out of reach, and another window may have changed it.
      await setUpProject(id, {
        ...folder.trim() === (project.workspace ?? '') ? {} : { workspace: folder.trim() },
        ...instructions === (project.instructions ?? '') ? {} : { instructions }
      })
      toast(w.saved(name), { kind: 'good' })
      onClose()
    })
  }
  return (
    <Dialog
      open keep onClose={onClose} title={w.title(name)}
      actions={(
        <>
          <Button onClick={onClose}>{words.value.common.cancel}</Button>
          <Button kind='primary' busy={isBusy} onClick={() => { void save() }}>{words.value.common.save}</Button>
        </>
      )}
    >
      {error === null ? null : <ErrorState error={error} />}
      <FolderField label={w.folder} hint={w.folderHint} value={folder} onValue={setFolder} onChoose={() => setChoosing(true)} />
      <TextArea
        label={w.instructions} hint={w.instructionsHint} value={instructions} rows={6} maxLength={8_000} dir='auto' onValue={setInstructions}
      />
      {isChoosing
        ? <LazyFolderChooser
            title={w.folder} current={folder === '' ? undefined : folder} onClose={() => setChoosing(false)}
            onChosen={({ path }) => { setFolder(path); setChoosing(false) }}
          />
        : null}
    </Dialog>
  )
}
