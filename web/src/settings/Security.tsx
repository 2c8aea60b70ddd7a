import { useState } from 'preact/hooks'
import { type Wire } from '../core/service/api.js'
import { attempt } from '../ui/attempt.js'
import { Button } from '../ui/Button.js'
import { Switch } from '../ui/Field.js'
import { screenWords } from '../words/index.js'
import { changeAccess } from './access.js'
import { Loaded } from '../ui/Loaded.js'
import { Part } from './Part.js'
import { Passkeys } from './Passkeys.js'
import { PasswordDialog, type PasswordChange } from './PasswordDialog.js'
import { serviceSettings } from './store.js'

/** Shows the ways to sign in. */
export function Security () {
  return <Loaded of={serviceSettings} lines={6}>{(settings) => <Gate settings={settings} />}</Loaded>
}

function Gate ({ settings }: { settings: Wire<'Settings'> }) {
  const [change, setChange] = useState<PasswordChange | null>(null)
  const w = screenWords.value.settings
  const {
    auth_enabled: isGated, password_auth_enabled: hasPassword, password_env_var: isPinned, oidc_enabled: hasOidc,
    oidc_name: oidcName
  } = settings
  const isSet = hasPassword || settings.passwordless_enabled
  return (
    <>
      <p class='settings-note'>{isGated ? w.gate.closed : w.gate.open}</p>
      {isGated
        ? null
        : <Switch
            label={w.gate.acknowledge} checked={settings.auth_disabled_acknowledged}
            onChecked={(isKnown) => { void attempt(async () => await changeAccess({ _auth_disabled_acknowledged: isKnown })) }}
          />}
      <Part name='password'>
        {isPinned
          ? <p class='settings-note'>{w.byAdministrator}</p>
          : (
            <div class='settings-actions'>
              <Button kind={isSet ? 'plain' : 'primary'} onClick={() => setChange(isSet ? 'change' : 'set')}>
                {isSet ? w.gate.change : w.gate.set}
              </Button>
              {isSet ? <Button kind='danger' onClick={() => setChange('clear')}>{w.gate.clear}</Button> : null}
            </div>
            )}
      </Part>
      <Passkeys settings={settings} />
      <Part name='oidc'>
        <p class='settings-note'>{hasOidc ? w.oidc.on(oidcName ?? w.oidc.title) : w.oidc.off}</p>
      </Part>
      {change === null ? null : <PasswordDialog change={change} onClose={() => setChange(null)} />}
    </>
  )
}
