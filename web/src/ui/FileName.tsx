import { baseName, folderOf, visible, workspaceTop } from '../core/files/paths.js'
import './file-name.css'

/** A path as people read it: the name first, then the folder. A renamed file is shown after its earlier name. */
export function FileName ({ path, from = null, class: className }: { path: string, from?: string | null, class?: string }) {
  const folder = folderOf(path)
  return (
    <span class={['file-name', className].filter(Boolean).join(' ')} title={visible(path)}>
      {from !== null && <bdi class='file-name-from'>{visible(baseName(from))} → </bdi>}
      <bdi class='file-name-own'>{visible(baseName(path))}</bdi>
      {folder !== workspaceTop && <>{' '}<bdi class='file-name-folder'>{visible(folder)}</bdi></>}
    </span>
  )
}
