import { type ConnectionCheck, type Fix, type Verdict } from '../../core/diagnostics/judge.js'
import { type Words } from '../en/index.js'
import { spansIn } from '../spans.js'

const long = spansIn('de')

const titles: Record<ConnectionCheck, string> = {
  reach: 'Ereignisströme', encryption: 'Verschlüsselung', buffering: 'Pufferung', compression: 'Kompression', timeout: 'Offene Verbindungen',
  ids: 'Fortsetzen', scheme: 'Protokoll', host: 'Hostname', address: 'Adresse des Clients', cookies: 'Cookies', upload: 'Hochladen', clock: 'Uhren'
}

const verdicts: Record<Verdict, (value: string) => string> = {
  reached: () => 'Ereignisströme kommen an.',
  unreachable: (code) => `Der Dienst ist unter dieser Adresse nicht erreichbar${code === '' ? '' : ` (${code})`}.`,
  refused: (status) => `Der Ereignisstrom wurde mit Status ${status} abgelehnt.`,
  noStream: (type) => `Anstelle des Dienstes hat etwas anderes geantwortet (${type || 'ohne Typ'}).`,
  encrypted: () => 'Die Verbindung ist verschlüsselt.',
  local: () => 'Die Verbindung bleibt auf diesem Rechner.',
  plain: () => 'Die Verbindung ist nicht verschlüsselt: Passwörter und Chats können unterwegs gelesen werden. Browser bieten keine Benachrichtigungen, Passkeys oder Mikrofone an.',
  delivered: () => 'Antworten kommen an, während sie geschrieben werden.',
  buffered: (seconds) => `Ein Proxy hält Antworten zurück, hier ${long(seconds)} lang: Sie erscheinen schubweise oder auf einmal.`,
  undelivered: () => 'Ein Proxy hält Ereignisströme zurück, bis sie enden.',
  uncompressed: () => 'Ereignisströme werden nicht komprimiert.',
  compressed: (encoding) => `Ein Proxy komprimiert Ereignisströme (${encoding}), was Antworten verzögert.`,
  stayedOpen: (seconds) => `Ein Strom blieb ${long(seconds)} lang offen.`,
  wasCut: (seconds) => `Ein Strom wurde nach ${long(seconds)} getrennt, obwohl der Dienst alle 5 Sekunden etwas sendet.`,
  idsKept: () => 'Ein getrennter Strom geht dort weiter, wo er aufgehört hat.',
  idsLost: () => 'Ein Proxy verändert Ereignisströme: Ids von Frames fehlen, sodass Ströme von vorn beginnen.',
  lastIdLost: () => 'Der Header Last-Event-ID erreicht den Dienst nicht, deshalb beginnen Ströme von vorn.',
  schemeRight: (scheme) => `Der Dienst weiß, dass er über ${scheme} erreicht wird.`,
  schemeNotBelieved: (scheme) => `Der Dienst hält die Verbindung für ${scheme}, weil er dem Proxy nicht vertraut.`,
  schemeWrong: (scheme) => `Der Proxy sagt nicht, dass die Verbindung verschlüsselt ist: Der Dienst hält sie für ${scheme}.`,
  schemeClaimed: () => 'Der Proxy sagt, die Verbindung sei verschlüsselt, aber das ist sie nicht.',
  hostRight: (host) => `Der Dienst weiß, dass er unter ${host} erreicht wird.`,
  hostWrong: (host) => `Der Dienst hält ${host} für seine Adresse. Änderungen aus Browsern werden abgelehnt, und Passkeys funktionieren nicht.`,
  addressRight: (address) => `Der Dienst sieht die Adresse dieses Geräts (${address}).`,
  addressMissing: (peer) => `Der Proxy gibt keine Adressen weiter: Alle Clients scheinen ${peer} zu sein, und falsche Passwörter einer Person sperren alle aus.`,
  addressNotBelieved: (peer) => `Der Dienst vertraut dem Proxy nicht: Alle Clients scheinen ${peer} zu sein, und falsche Passwörter einer Person sperren alle aus.`,
  addressForged: () => 'Der Proxy gibt eine Adresse weiter, die ein Client erfunden hat, deshalb wird das Raten von Passwörtern nie gebremst.',
  cookiesRight: () => 'Cookies passen zur Verbindung.',
  cookiesOpen: () => 'Cookies sind nicht als Secure markiert, obwohl die Verbindung verschlüsselt ist.',
  cookiesLost: () => 'Cookies sind als Secure markiert, aber die Verbindung ist nicht verschlüsselt, deshalb behalten Browser die Anmeldung nicht.',
  uploadPassed: (mib) => `Ein Upload von ${mib} MiB ist angekommen.`,
  uploadRefused: (mib) => `Ein Upload von ${mib} MiB wurde als zu groß abgelehnt.`,
  uploadCut: (mib) => `Ein Upload von ${mib} MiB wurde abgebrochen.`,
  uploadUntried: () => 'Die Verbindung ist zu langsam, um einen großen Upload zu testen.',
  uploadUnjudged: (status) => `Ein großer Upload wurde mit Status ${status} beantwortet, was nichts über seine Größe sagt.`,
  clockRight: () => 'Die Uhren dieses Geräts und des Dienstes stimmen überein.',
  clockWrong: (seconds) => `Die Uhren dieses Geräts und des Dienstes weichen um ${long(seconds)} voneinander ab.`
}

const advice: Record<Fix, string> = {
  reach: 'Prüfe, ob der Dienst läuft, der Proxy zu seinem Port führt und du angemeldet bist.',
  tls: 'Stelle einen Reverse-Proxy mit Zertifikat davor: „Behind a reverse proxy“ in der Hilfe (/help).',
  buffering: 'Schalte die Pufferung im Proxy aus:',
  compression: 'Komprimiere Ereignisströme nicht im Proxy; alles andere komprimiert der Dienst selbst:',
  timeout: 'Lass Verbindungen im Proxy offen bleiben:',
  lastId: 'Gib den Header im Proxy weiter:',
  proto: 'Nenne im Proxy das Protokoll, und vertraue dem Proxy mit SVC_WEBUI_TRUSTED_PROXIES:',
  host: 'Gib im Proxy den Host weiter, mit Port:',
  forwardedFor: 'Ersetze den Header im Proxy durch die Adresse, die sich mit ihm verbunden hat:',
  trust: 'Vertraue dem Proxy in der Umgebung des Dienstes und starte ihn neu:',
  secure: 'Öffne den Dienst über https, oder ändere die Umgebung des Dienstes:',
  upload: 'Erlaube im Proxy Uploads dieser Größe:',
  clock: 'Synchronisiere die Uhren.'
}

const counted = (count: number, one: string, many: string): string[] => count === 0 ? [] : [`${count} ${count === 1 ? one : many}`]

export const diagnostics: Words['diagnostics'] = {
  note: 'Prüft den Dienst, seinen Rechner und den Weg von diesem Gerät dorthin. Nichts wird verändert.',
  again: 'Noch einmal prüfen',
  checking: 'Wird geprüft…',
  thorough: 'Gründlich prüfen',
  thoroughNote: 'Die gründliche Prüfung bittet auch ein Modell jedes Anbieters um ein Wort, was etwas kosten kann, und startet Agenten anderer Hersteller.',
  copyReport: 'Bericht kopieren',
  reportCopied: 'Bericht kopiert.',
  statuses: { ok: 'OK', warning: 'Warnung', error: 'Problem', skipped: 'Nicht geprüft' },
  summary: (errors, warnings) => {
    const found = [...counted(errors, 'Problem', 'Probleme'), ...counted(warnings, 'Warnung', 'Warnungen')]
    return found.length === 0 ? 'Keine Probleme gefunden.' : `${found.join(', ')}.`
  },
  checks: {
    program: 'Versionen', memory: 'Arbeitsspeicher', 'open-files': 'Offene Dateien', log: 'Log', updates: 'Updates', backups: 'Backups',
    'state-folder': 'Statusordner', disk: 'Freier Platz', database: 'Datenbank', access: 'Adresse und Anmeldung', address: 'Port',
    sandbox: 'Sandbox für Befehle', git: 'Git', ripgrep: 'Suche in Dateien', agents: 'Andere Agenten', schedules: 'Geplante Aufgaben',
    configuration: 'config.yaml', providers: 'Modellanbieter', mcp: 'MCP-Server', machines: 'Andere Rechner', push: 'Benachrichtigungen',
    proxy: 'Weg ins Internet', traces: 'Traces', clock: 'Uhr'
  },
  parts: {
    program: 'Programm', author: 'Autor', 'default workspace': 'Standardordner', logins: 'Anmeldungen', 'state folder': 'Statusordner',
    backups: 'Backups', 'temporary files': 'temporäre Dateien'
  },
  found: {
    sandbox_off: [
      'Die Sandbox ist ausgeschaltet: Jeder Befehl des Agenten läuft als Benutzer des Dienstes und fragt um Erlaubnis.',
      'Entferne SVC_WEBUI_SANDBOX aus der Umgebung, oder terminal.sandbox aus config.yaml.'
    ],
    sandbox_missing: [
      'Jeder Befehl des Agenten fragt um Erlaubnis, weil bubblewrap (bwrap) nicht installiert ist.',
      'Installiere bubblewrap:'
    ],
    git_missing: [
      'git ist nicht installiert. Ein eingebautes Git ersetzt es; es kann weniger.',
      'Installiere git:'
    ],
    git_author_missing: [
      'Commits haben keinen Autor. Repositorys, die keinen festlegen, lehnen sie deshalb ab.',
      'Als Benutzer des Dienstes:'
    ],
    backup_to_come: [
      'Es gibt noch kein Backup. Der Dienst macht das erste einige Minuten nach seinem Start.',
      'Jetzt eines machen:'
    ],
    backups_off: [
      'Es gibt kein Backup, und von selbst wird keines gemacht.',
      'Jetzt eines machen:'
    ],
    provider_missing: [
      'Kein Modellanbieter ist eingerichtet, deshalb antwortet die Demo.',
      'Trage unter „Modelle“ den Schlüssel eines Anbieters oder die Adresse eines Modellservers ein.'
    ],
    sign_in_missing: [
      'Es wird keine Anmeldung verlangt: Wer diese Adresse erreicht, kann den Dienst benutzen.',
      'Setze ein Passwort unter Einstellungen → Anmeldung, oder in der Umgebung des Dienstes:'
    ],
    sign_in_missing_proxy: [
      'Es wird keine Anmeldung verlangt, obwohl ein Reverse-Proxy eingerichtet ist: Wer den Proxy erreicht, kann den Dienst benutzen.',
      'Setze ein Passwort unter Einstellungen → Anmeldung, oder in der Umgebung des Dienstes:'
    ],
    traffic_open: [
      'Der Dienst ist von anderen Rechnern unverschlüsselt erreichbar: Passwörter und Chats können unterwegs gelesen werden.',
      'Stelle einen Reverse-Proxy mit TLS davor, und nenne seine Adresse (docs/reverse-proxy.md):'
    ],
    state_folder_ok: ['Der Statusordner ist beschreibbar, und nur sein Besitzer kann ihn lesen.'],
    state_folder_missing: ({ path }) => [`Den Statusordner ${path} gibt es noch nicht.`, 'Starte den Dienst einmal; er legt ihn an.'],
    runs_as_root: ({ owner }) => [
      `Der Dienst läuft als root, und seine Dateien gehören Benutzer ${owner}.`,
      'Lass ihn als dieser Benutzer laufen: root darf alles.'
    ],
    link_broken: ({ path, target }) => [
      `${path} ist ein symbolischer Link auf ${target}, und das gibt es nicht.`,
      'Hänge den Ordner, auf den er zeigt, ein oder stelle ihn wieder her, oder entferne den Link.'
    ],
    owner_differs: ({ path, owner, user }) => [
      `${path} gehört Benutzer ${owner}; der Dienst läuft als Benutzer ${user}.`,
      'Gib es dem Benutzer des Dienstes:'
    ],
    open_to_all: ({ path }) => [`Jeder Benutzer dieses Rechners kann ${path} öffnen.`, 'Als Benutzer des Dienstes:'],
    open_to_group: ({ path }) => [`Benutzer derselben Gruppe können ${path} öffnen.`, 'Als Benutzer des Dienstes:'],
    disk_full: ({ path }) => [`In ${path} kann nichts geschrieben werden: Der Datenträger ist voll.`, 'Schaffe Platz auf dem Datenträger:'],
    disk_read_only: ({ path, code }) => [`In ${path} kann nichts geschrieben werden (${code}).`, 'Hänge den Datenträger beschreibbar ein:'],
    not_writable: ({ path, code }) => [
      `In ${path} kann nichts geschrieben werden (${code}).`,
      'Mach es für den Benutzer des Dienstes beschreibbar:'
    ],
    not_openable: ({ path }) => [`Der Dienst darf ${path} nicht öffnen.`, 'Gib es dem Benutzer des Dienstes:'],
    not_openable_own: ({ path }) => [`Der Dienst darf ${path} nicht öffnen.`, 'Als Benutzer des Dienstes:'],
    clock_right: ['Die Uhr stimmt mit der eines Servers im Internet überein.'],
    clock_unasked: ['Kein Server konnte nach der Zeit gefragt werden. Seit dem Start wurde die Uhr nicht zurückgestellt.'],
    clock_ahead: ({ seconds }) => [`Die Uhr geht ${long(seconds)} vor.`, 'Gleiche die Uhr ab:'],
    clock_behind: ({ seconds }) => [`Die Uhr geht ${long(seconds)} nach.`, 'Gleiche die Uhr ab:'],
    clock_far_ahead: ({ seconds }) => [
      `Die Uhr geht ${long(seconds)} vor. Anmeldungen, Webhooks und TLS-Zertifikate schlagen fehl.`,
      'Gleiche die Uhr ab:'
    ],
    clock_far_behind: ({ seconds }) => [
      `Die Uhr geht ${long(seconds)} nach. Anmeldungen, Webhooks und TLS-Zertifikate schlagen fehl.`,
      'Gleiche die Uhr ab:'
    ],
    clock_set_back: ({ seconds }) => [
      `Seit dem Start des Dienstes wurde die Uhr um ${long(seconds)} zurückgestellt.`,
      'Gleiche die Uhr ab:'
    ],
    clock_before_write: ({ seconds }) => [
      `Die Uhr geht nach: Die Datenbank wurde ${long(seconds)} später geschrieben, als die Uhr anzeigt.`,
      'Gleiche die Uhr ab:'
    ],
    disk_room: ({ free }) => [`${free} sind frei.`],
    disk_low: ({ free }) => [`Nur noch ${free} sind frei.`, 'Schaffe Platz. Die größten Ordner dieses Datenträgers:'],
    disk_almost_full: ({ free }) => [
      `Der Datenträger ist fast voll: Nur ${free} sind frei.`,
      'Schaffe Platz. Die größten Ordner dieses Datenträgers:'
    ],
    disk_backup_room: ({ free, needed }) => [
      `Für ein Backup fehlt Platz: ${free} sind frei, und es braucht ${needed}.`,
      'Schaffe Platz. Die größten Ordner dieses Datenträgers:'
    ],
    disk_few_files: ({ count }) => [
      `Auf dem Datenträger ist nur noch für ${count} Dateien Platz.`,
      'Entferne kleine Dateien, die niemand braucht. Die Ordner mit den meisten:'
    ],
    memory_use: ({ used, limit }) => [
      `${used} von ${limit} auf diesem Rechner sind belegt.`,
      'Beende Programme, die viel Speicher brauchen:'
    ],
    memory_use_group: ({ used, limit }) => [
      `${used} von ${limit} sind belegt; das ist die Grenze der Control Group des Dienstes.`,
      'Erhöhe die Grenze in der systemd-Unit oder in docker-compose.yml:'
    ],
    open_files: ({ open, limit }) => [
      `${open} Dateien und Verbindungen sind offen, höchstens ${limit} dürfen es sein.`,
      'Erhöhe die Grenze in der systemd-Unit, in docker-compose.yml oder in der Shell, die den Dienst startet:'
    ],
    git_ready: ({ version }) => [`git ${version} ist installiert.`],
    git_author: ['Commits haben einen Autor.'],
    git_workspace: ['git funktioniert im Standardordner.'],
    git_workspace_plain: ['Der Standardordner ist kein Git-Repository.'],
    git_workspace_missing: ['Den Standardordner gibt es noch nicht.'],
    git_workspace_owner: ['git arbeitet nicht im Standardordner, weil er einem anderen Benutzer gehört.', 'Als Benutzer des Dienstes:'],
    git_logins: ['git hat einen Credential-Helper.'],
    git_no_logins: [
      'git hat keinen Credential-Helper: SSH-Schlüssel funktionieren, Repositorys mit Anmeldung über https nicht.',
      'Falls du solche Anmeldungen brauchst, als Benutzer des Dienstes:'
    ],
    push_works: ({ count, messages }) => [`Browser mit Benachrichtigungen: ${count}. Nachrichten unterwegs: ${messages}.`],
    push_none: ['In keinem Browser sind Benachrichtigungen eingeschaltet.'],
    push_no_keys: [
      'Die Schlüssel für Web Push konnten noch nicht gespeichert werden.',
      'Mach die Datenbank beschreibbar, und starte den Dienst neu.'
    ],
    updates_off: ['Die Suche nach Updates ist ausgeschaltet.'],
    updates_unchecked: ['Es wurde noch nicht nach Updates gesucht.', 'Suche unter Einstellungen → Über nach Updates.'],
    updates_current: ['Bei der letzten Suche war dies die neueste Version.'],
    log_written: ['Jede Zeile des Logs wurde geschrieben.'],
    machines_off: ['Kein anderer Rechner kann beitreten: SVC_NATS_URL ist nicht gesetzt.'],
    nats_connected: ['Der NATS-Server ist verbunden.'],
    machine_connected: ['Er ist verbunden.'],
    machine_version: ({ version, own }) => [
      `Er ist mit Version ${version} verbunden; der Dienst hat ${own}.`,
      'Bring ihn auf die Version des Dienstes.'
    ],
    machine_away: ({ seconds }) => [`Er ist schon ${long(seconds)} weg.`, 'Starte dort sein Programm:'],
    sandbox_works: ({ version }) => [`Ein Befehl lief in einer Sandbox von bubblewrap ${version}.`],
    sandbox_unfiltered: ({ version }) => [`Ein Befehl lief in einer Sandbox von bubblewrap ${version}, ohne Filter für Systemaufrufe.`],
    sandbox_container: [
      'Der Container ist die Grenze: Ein Befehl lief darin und erreichte weder Dateien noch Speicher noch Debugger des Dienstes.'
    ],
    backup_nothing: ['Es gibt noch nichts zu sichern.'],
    backup_age: ({ seconds }) => [`Das neueste Backup ist ${long(seconds)} alt.`],
    backup_late: ({ seconds, hours }) => [
      `Das neueste Backup ist ${long(seconds)} alt; fällig ist ${hours === '1' ? 'jede Stunde' : `alle ${hours} Stunden`} eines.`,
      'Jetzt eines machen:'
    ],
    backup_by_hand: ({ seconds }) => [
      `Das neueste Backup ist ${long(seconds)} alt; von selbst wird keines gemacht.`,
      'Lass jeden Tag eines machen, in der Umgebung des Dienstes:'
    ],
    provider_agents: ['Kein Modellanbieter ist eingerichtet; andere Agenten antworten.'],
    mcp_none: ['Kein MCP-Server ist eingerichtet.'],
    mcp_ready: ({ count }) => [`Er läuft. Werkzeuge: ${count}.`],
    mcp_idle: ['Er startet, wenn eines seiner Werkzeuge aufgerufen wird.'],
    mcp_off: ['Er ist ausgeschaltet.'],
    mcp_sign_in: ['Er verlangt eine Anmeldung.', 'Melde dich unter Einstellungen → MCP-Server an.'],
    agents_none: ['Auf diesem Rechner wurde kein anderer Agent gefunden.'],
    configuration_fine: ['config.yaml hat keine Fehler.'],
    internet_direct: ['Verbindungen verlassen diesen Rechner direkt.'],
    ripgrep_works: ({ version }) => [`ripgrep ${version} funktioniert.`],
    database_intact: ({ size, version, log }) => [`Die Datenbank ist unbeschädigt: ${size}, Version ${version}, Log ${log}.`],
    database_checking: ({ size }) => [`Die Prüfung nach dem Start läuft noch (${size}).`, 'Prüfe in einigen Minuten noch einmal.'],
    database_in_memory: ['Die Datenbank ist im Arbeitsspeicher.'],
    program_version: ({ own, version }) => [`Version ${own} läuft mit Node.js ${version}.`],
    program_node_old: ({ version, needed }) => [
      `Node.js ${version} ist zu alt: Nötig ist Version ${needed} oder neuer.`, `Installiere Node.js ${needed} oder neuer, und starte neu.`
    ],
    port_answers: ({ host, port }) => [`Der Dienst antwortet auf ${host}, Port ${port}.`],
    sign_in_needed: ({ host, port }) => [`Eine Anmeldung ist nötig. Der Dienst hört auf ${host}, Port ${port}.`],
    sign_in_needed_proxy: ({ host, port }) => [`Eine Anmeldung ist nötig. Der Dienst hört auf ${host}, Port ${port}, hinter einem vertrauenswürdigen Proxy.`],
    sign_in_local: ['Nur dieser Rechner erreicht den Dienst. Eine Anmeldung ist nicht nötig.'],
    provider_answers: ['Er antwortet.'],
    provider_invalid_key: ['Er hat den Schlüssel abgelehnt.', 'Trage unter „Modelle“ oder in der .env des Profils einen gültigen Schlüssel ein.'],
    provider_no_quota: ['Das Kontingent des Kontos ist aufgebraucht.', 'Lade beim Anbieter Guthaben auf, oder wähle ein anderes Modell.'],
    provider_rate_limited: ['Er nimmt gerade keine weiteren Anfragen an.', 'Warte, oder erhöhe das Limit beim Anbieter.'],
    provider_timed_out: ['Er hat nicht rechtzeitig geantwortet.', 'Prüfe in einigen Minuten noch einmal, und die Statusseite des Anbieters.'],
    provider_no_answer: ['Er hat nicht geantwortet.', 'Prüfe in einigen Minuten noch einmal, und die Statusseite des Anbieters.'],
    schedules_fine: ({ count }) => [`Geplante Aufgaben: ${count}. Keine ist zuletzt fehlgeschlagen.`],
    schedule_failed: ({ reason }) => [`Der letzte Lauf ist fehlgeschlagen: ${reason}`, 'Öffne den letzten Lauf unter „Aufgaben“.'],
    schedule_undelivered: ({ reason }) => [
      `Das letzte Ergebnis wurde nicht zugestellt: ${reason}`, 'Prüfe unter „Aufgaben“, wohin es gehen soll.'
    ],
    schedule_ended: ({ reason }) => [`Sie läuft nicht mehr: ${reason}`, 'Ändere unter „Aufgaben“, wann sie läuft.'],
    traces_taken: ['Der Collector nimmt Traces an.'],
    proxy_answers: ({ target }) => [`Verbindungen gehen über den Proxy ${target}. Er antwortet.`],
    proxy_accepts_login: ({ target }) => [`Verbindungen gehen über den Proxy ${target}. Er antwortet und nimmt die Anmeldung an.`],
    configuration_broken: ({ profile, reason }) => [
      `Die config.yaml des Profils „${profile}“ ist fehlerhaft: ${reason}`, 'Berichtige sie. Bis dahin gilt die letzte fehlerfreie Fassung.'
    ]
  },
  groups: {
    service: 'Dienst', storage: 'Speicher', access: 'Zugang', agent: 'Agent', models: 'Modelle', connections: 'Verbindungen'
  },
  connection: 'Von diesem Gerät aus',
  held: (seconds) => `Eine Verbindung wird ${long(seconds)} lang offen gehalten, um zu sehen, ob etwas sie trennt…`,
  environment: 'Umgebung des Dienstes',
  titles,
  verdicts,
  advice
}
