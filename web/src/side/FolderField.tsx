import { Button } from '../ui/Button.js'
import { TextField, type TextFieldProps } from '../ui/Field.js'
import { FolderSearch } from '../ui/icons.js'
import { lazy } from '../ui/lazy.js'
import { screenWords } from '../words/index.js'

/** The folder chooser, loaded when it is first opened. */
export const LazyFolderChooser = lazy(async () => (await import('./FolderChooser.js')).FolderChooser, { waiting: null })

/**
 * A folder's path, typed or chosen. The chooser that `onChoose` opens is placed outside of the field's form. `name`: its label in plain
 * text.
 */
export function FolderField ({ onChoose, name, ...rest }: TextFieldProps & { onChoose: () => void, name?: string }) {
  const { choose } = screenWords.value.files.folders
  return (
    <TextField
      {...rest} autocapitalize='none' spellcheck={false}
      after={(
        <Button
          kind='quiet' size='small' icon={FolderSearch} label={`${choose}: ${name ?? String(rest.label)}`} aria-haspopup='dialog'
          onClick={onChoose}
        />
      )}
    />
  )
}
