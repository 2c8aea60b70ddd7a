import { type CardTexts } from '../en/reasons.js'

const listed = (words: readonly string[], more: number): string => more > 0 ? `${words.join(', ')} und mehr` : words.join(', ')
/** Lists whole clauses, which have commas of their own. */
const clauses = (words: readonly string[], more: number): string => more > 0 ? `${words.join('; ')} und mehr` : words.join('; ')

export const reasons: CardTexts = {
  agent_says: ({ why }) => `Begründung des Agenten: „${why}“`,
  changes_protected: () => 'Es kann geschützte Dateien ändern: Einstellungen, Schlüssel oder Dateien, die automatisch ausgeführt werden.',
  connects: ({ more }, hosts) => `Es verbindet sich mit ${listed(hosts, more)}.`,
  container_may_remove: () => 'Es bleibt im Container, kann dort aber etwas löschen, das sich nicht wiederherstellen lässt.',
  container_removes: () => 'Es bleibt im Container, aber was es dort löscht, lässt sich nicht wiederherstellen.',
  exceeds_container: ({ more }, why) => `Geht über das hinaus, was Befehle im Container ohne Rückfrage dürfen: ${clauses(why, more)}.`,
  followed_later: () => 'In späteren Chats kann sich der Agent danach richten.',
  git_runs_own: ({ more }, programs) =>
    `Git kann Programme ausführen, die in Hooks oder Einstellungen dieses Repositorys stehen: ${programs.map((one) => `„${one}“`).join(', ')}${more > 0 ? ` und ${more} weitere` : ''}. Deine Zustimmung gilt nur für den aktuellen Inhalt.`,
  leaves_sandbox: ({ more }, why) => `Verlässt die Sandbox: ${clauses(why, more)}.`,
  left_by_sandbox: (_, found) =>
    `Ein Befehl in der Sandbox hat das hinterlassen: ${found.join('; ')}. Git kann es außerhalb der Sandbox ausführen oder befolgen, prüfe es also zuerst. Wenn du diesen Befehl erlaubst, wirst du erst wieder danach gefragt, wenn es sich ändert.`,
  mcp_says_adds: () => 'Laut Server fügt es nur Daten hinzu.',
  mcp_says_destroys: () => 'Laut Server kann es Daten zerstören.',
  mcp_says_reads: () => 'Laut Server liest es nur.',
  mcp_tool_changed: () => 'Der Server hat die Beschreibung dieses Werkzeugs geändert, seit es erlaubt wurde.',
  reads_outside: () => 'Es liest außerhalb des Arbeitsordners.',
  reads_secrets: () => 'Es kann Geheimnisse lesen: Schlüssel, Passwörter oder die Daten dieses Dienstes.',
  runs_unwatched: () => 'Eine Aufgabe läuft auch, wenn niemand zusieht.',
  sandbox_may_remove: () => 'Es bleibt in der Sandbox, kann dort aber etwas löschen, das sich nicht wiederherstellen lässt.',
  sandbox_removes: () => 'Es bleibt in der Sandbox, aber was es dort löscht, lässt sich nicht wiederherstellen.',
  unforeseeable: (_, [why = '']) => `Was es bewirkt, lässt sich nicht vorab prüfen: ${why}.`,
  writes_outside: () => 'Es kann außerhalb des Arbeitsordners schreiben.',

  diff_edit_unfit: () => 'Diese Änderung passt nicht zur Datei, wie sie jetzt ist, und würde nichts ändern.',
  diff_file_too_long: ({ bytes }) => `Die Datei hat ${bytes} Bytes, zu viele für einen Vergleich.`,
  diff_file_unreadable: () => 'Die Datei lässt sich nicht lesen.',
  diff_text_too_large: () => 'Der Text ist zu groß für einen Vergleich.',
  diff_too_many_changes: () => 'Es gibt mehr Änderungen, als sich vergleichen lassen.',
  diff_unreadable: () => 'Was sich ändern würde, lässt sich nicht lesen.',
  host: ({ host }) => host,
  unknown_host: () => 'einer Adresse, die erst bei der Ausführung feststeht',

  command_changed: ({ name, path }) =>
    `Ein Befehl, der ohne Rückfrage lief, hat /${name} (${path}) geändert. Der Agent könnte dadurch etwas anderes tun. Erlauben: Der Agent liest den Text so, wie er hier steht. Ablehnen: Der Agent liest ihn nicht und erfährt das.`,
  mcp_asks_model: ({ server, model, tokens }) =>
    `Der MCP-Server „${server}“ möchte ${model} während eines Aufrufs Folgendes fragen, für eine Antwort von höchstens ${tokens} Tokens. Das zählt zu deinem Verbrauch. Erlauben: Das Modell sieht nur diesen Text, nicht den Chat, und hat keine Werkzeuge; der Server bekommt die Antwort. Ablehnen: Der Server bekommt keine Antwort.`,
  rules_changed: () =>
    'Ein Befehl, der ohne Rückfrage lief, hat die Anweisungen dieses Arbeitsordners (AGENTS.md oder ähnliche) geändert. Der Agent könnte sich dadurch anders verhalten. Erlauben: Der neue Text gilt ab jetzt so, wie er hier steht. Ablehnen: In diesem Durchgang gilt er nicht.',
  settings_unaccepted: ({ agent }) =>
    `Dieser Arbeitsordner enthält Einstellungen für ${agent}, die in dieser Fassung noch niemand angenommen hat. Mit ihnen kann der Agent vielleicht ohne Rückfrage handeln, Programme starten und sich mit anderen Servern verbinden. Erlauben: Sie gelten so, wie sie hier stehen, bis sie sich ändern. Ablehnen: Der Durchgang beginnt nicht.`,

  addresses_decide_place: () => 'wohin es schreibt, hängt von Adressen ab',
  argument_may_be_option: ({ command }) => `ein Argument von ${command} kann eine Option sein`,
  argument_runs_other: ({ program }) => `durch ein Argument führt ${program} etwas anderes aus`,
  arguments_as_variables: () => 'Argumente gelten als Variablen (set -k)',
  arguments_may_be_options: ({ command }) => `weitere Argumente von ${command} können Optionen sein`,
  builds_commands: () => 'es setzt Befehlszeilen erst bei der Ausführung zusammen',
  calculates_unknown: () => 'es rechnet mit unbekanntem Text, der Befehle ausführen kann',
  changes_meaning: ({ program }) => `es gibt Befehlen eine andere Bedeutung (${program})`,
  changes_reading: () => 'es ändert, wie bash den Rest liest (shopt)',
  depends_on_repeats: () => 'was es tut, hängt davon ab, wie oft etwas wiederholt wird',
  files_decide_options: ({ program }) => `welche Optionen ${program} hat, hängt von den vorhandenen Dateien ab`,
  files_decide_program: () => 'was es ausführt, hängt von den vorhandenen Dateien ab',
  files_decide_run: ({ program }) => `was ${program} ausführt, hängt von den vorhandenen Dateien ab`,
  hides_run: ({ program }) => `so, wie ${program} verwendet wird, bleibt verborgen, was es ausführt`,
  input_starts_programs: ({ program }) => `was ${program} als Eingabe bekommt, kann andere Programme starten`,
  invalid_syntax: () => 'es ist keine gültige Shell-Syntax',
  invisible_characters: () => 'es enthält unsichtbare Zeichen',
  keeps_program_text: ({ name }) => `es speichert Programmtext in der Variablen ${name}`,
  lookalike_characters: () => 'es enthält Zeichen, die wie andere aussehen',
  name_with_spaces: () => 'der Name des Programms enthält Leerzeichen',
  nested_too_deeply: () => 'es ist zu tief verschachtelt',
  only_bash: () => 'nur bash liest es so, und vielleicht führt eine andere Shell es aus',
  other_shell: ({ program }) => `es ist für ${program} geschrieben`,
  own_startup_file: () => 'es führt eine eigene Startdatei aus',
  redirect_decides: () => 'wohin es Daten sendet, entscheidet eine Weiterleitung',
  runs_input: ({ program }) => `${program} führt aus, was es als Eingabe bekommt`,
  runs_own_words: () => 'es führt seine eigenen Wörter als Befehl aus (jobs)',
  runs_text: () => 'es führt Text als Befehl aus (eval)',
  runs_text_calculating: () => 'es führt beim Rechnen Text als Befehl aus',
  runs_text_reading: () => 'es führt beim Lesen Text als Befehl aus',
  runs_variable: () => 'es führt den Inhalt einer Variablen aus',
  script_runs: ({ program }) => `das Skript für ${program} führt Befehle aus oder schreibt Dateien`,
  second_name: () => 'es gibt einer Variablen einen zweiten Namen',
  sets_steering: () => 'es setzt eine Variable, die das Verhalten von Programmen ändert',
  sets_steering_named: ({ name }) => `es setzt ${name}, und das ändert das Verhalten von Programmen`,
  sets_unnamed: () => 'es setzt eine Variable, ohne sie zu nennen',
  setting_changes_reading: ({ program }) => `eine Einstellung ändert, wie ${program} es liest`,
  setting_runs_other: ({ program }) =>
    `durch eine Einstellung führt ${program} etwas anderes aus oder verbindet sich mit einem anderen Ziel`,
  strange_name: () => 'der Name des Programms ist ungewöhnlich',
  too_long: () => 'es ist zu lang',
  too_long_name: () => 'ein Dateiname darin ist zu lang',
  too_many_folders: () => 'es wechselt den Ordner zu oft',
  too_many_things: () => 'es tut zu viel Verschiedenes',
  too_much_work: () => 'es ist zu komplex zum Prüfen; kürzere Befehle lassen sich prüfen',
  took_too_long: () => 'die Prüfung hat zu lange gedauert',
  unknown_effect: ({ command }) => `was ${command} tut, zeigt sich erst bei der Ausführung`,
  unknown_file: () => 'welche Datei es schreibt, zeigt sich erst bei der Ausführung',
  unknown_folder: () => 'in welchen Ordner es wechselt, zeigt sich erst bei der Ausführung',
  unknown_option: ({ name, command }) => `die Option ${name} von ${command} gilt nicht als harmlos`,
  unknown_place: ({ program }) => `wo ${program} etwas tut, zeigt sich erst bei der Ausführung`,
  unknown_program: () => 'welches Programm es ausführt, zeigt sich erst bei der Ausführung',
  unknown_run: () => 'was es ausführt, zeigt sich erst bei der Ausführung',
  unknown_run_of: ({ program }) => `was ${program} ausführt, zeigt sich erst bei der Ausführung`,
  unknown_target: ({ program }) => `worauf ${program} wirkt, zeigt sich erst bei der Ausführung`,
  unknown_variable: () => 'welche Variable gemeint ist, zeigt sich erst bei der Ausführung',
  unknown_written: ({ program }) => `wohin ${program} schreibt, zeigt sich erst bei der Ausführung`,
  git_brought_files: () => 'Git arbeitet in einem Ordner, in den dieselbe Zeile unbekannte Dateien bringt',
  git_enters_made: () => 'Git wechselt in ein Repository, das aus beliebigen Dateien bestehen kann',
  git_enters_unknown: () => 'in welche Repositorys Git von dort wechselt, ist unbekannt',
  git_follows_made: () => 'Git befolgt die Einstellungen eines Repositorys, das aus beliebigen Dateien bestehen kann',
  git_push_runs: () => 'ein Push in ein Repository auf diesem Rechner führt aus, was dieses Repository angibt',
  git_remote_program: () => 'das Git-Remote ist ein Programm',

  acts_on_machine: ({ command }) => `${command} wirkt auf diesen Rechner`,
  acts_with_rights: ({ command }) => `${command} läuft als anderer Benutzer`,
  asked_by_agent: () => 'der Agent hat darum gebeten',
  connects_to: ({ host }) => `es verbindet sich mit ${host}`,
  connects_to_unknown: () => 'es verbindet sich mit einer Adresse, die erst bei der Ausführung feststeht',
  needs_network: ({ command }) => `${command} braucht das Netz`,
  needs_network_elsewhere: ({ command }) => `${command} braucht das Netz und wirkt auf ein anderes System`,
  reaches_processes: ({ command }) => `${command} erreicht Prozesse außerhalb der Sandbox`,
  touches_outside: () => 'es greift auf Dateien außerhalb des Arbeitsordners zu',
  touches_protected_read: () => 'es kann Geheimnisse lesen',
  touches_protected_write: () => 'es kann geschützte Dateien ändern',
  touches_read: () => 'es liest Dateien außerhalb des Arbeitsordners',
  touches_write: () => 'es kann Dateien außerhalb des Arbeitsordners schreiben',

  git_attributes: ({ path }) => `${path} bestimmt, welche Filter Git auf Dateien anwendet`,
  git_closed: ({ path }) => `${path} ist ein Ordner, der sich nicht prüfen lässt`,
  git_found: ({ path, what }) => `${path} ${what}`,
  git_head_invalid: ({ path }) => `${path} ist ein Repository ohne gültigen HEAD, sodass Git ein anderes sucht`,
  git_history: ({ path }) => `${path} bestimmt, welchen Verlauf Git sieht`,
  git_hook: ({ path }) => `${path} wird von Git ausgeführt`,
  git_hook_beside: ({ path }) => `${path} liegt im Ordner der Hooks, die Git ausführt`,
  git_hooks_elsewhere: ({ path, folder }) => `${path} verweist auf Hooks in ${folder}`,
  git_includes_too_many: ({ path }) => `${path} wird von Git eingebunden und wurde nicht geprüft, weil zu viele Dateien eingebunden sind`,
  git_link: ({ path, target }) => `${path} ist ein Link auf ${target}`,
  git_named_by: ({ path, setting }) => `${path} steht in ${setting}`,
  git_names_repository: ({ path, text }) => `${path} nennt ein Repository: ${text}`,
  git_names_too_many: ({ path }) => `${path} nennt mehr Dateien, als sich prüfen lassen`,
  git_objects_elsewhere: ({ path, text }) => `${path} nimmt Objekte aus ${text}`,
  git_objects_missing: ({ path }) => `${path} ist ein Repository ohne objects oder refs, sodass Git ein anderes sucht`,
  git_pushes_to: ({ path, text }) => `${path} bestimmt, wohin Git pusht: ${text}`,
  git_rebase_runs: ({ path }) => `${path} enthält Befehle, die ein Rebase ausführt`,
  git_running: () => 'ein Befehl in der Sandbox läuft noch in diesem Ordner; was er hinterlässt, ist noch nicht bekannt',
  git_sets: ({ path, name }) => `${path} setzt ${name}`,
  git_sets_to: ({ path, name, value }) => `${path} setzt ${name} = ${value}`,
  git_settings_elsewhere: ({ path, text }) => `${path} nimmt Hooks und Einstellungen aus ${text}`,
  git_too_deep: ({ path }) => `${path} enthält Ordner, die zum Prüfen zu tief liegen`,
  git_too_large: ({ path }) => `${path} ist zu groß zum Prüfen; was ein Befehl dort für Git hinterlässt, bleibt unbemerkt`,
  git_too_many_files: ({ path }) => `${path} enthält mehr Dateien, als sich prüfen lassen`,
  git_unlooked: ({ path, error }) =>
    `${path} lässt sich nicht prüfen (${error}); was ein Befehl dort für Git hinterlässt, bleibt unbemerkt`,
  git_unread: ({ path }) => `${path} ist zu lang oder nicht lesbar; was darin für Git steht, ist unbekannt`,
  git_worktree_elsewhere: ({ path, text }) => `${path} nennt einen Worktree an anderer Stelle: ${text}`,

  agent_asked_unshown: ({ agent, why }) =>
    `${agent} hat etwas gefragt, das sich hier nicht anzeigen lässt, und wurde darüber informiert. ${why}`,
  agent_kept_from: ({ agent, place, key, value }) =>
    `Der Zugriff von ${agent} auf ${place} wurde blockiert: Die Adresse steht nicht unter „network“. Um sie zu erlauben, setze ${key} in config.yaml auf ${value}.`,
  agent_kept_from_metadata: ({ agent, place }) =>
    `Der Zugriff von ${agent} auf ${place} wurde blockiert: Dort liegen in der Cloud die Zugangsdaten des Rechners. Diese Adresse lässt sich nicht erlauben.`,
  agent_kept_from_private: ({ agent, place, key, value }) =>
    `Der Zugriff von ${agent} auf ${place} wurde blockiert: Die Adresse liegt auf diesem Rechner oder in einem privaten Netz. Um sie zu erlauben, setze ${key} in config.yaml auf ${value}.`,
  agent_plan_after_edit: ({ agent }) =>
    `${agent} hat einen anderen Plan geschrieben. Er wurde nicht gespeichert, weil du den Plan bearbeitet hast.`,
  agent_plan_unheld: ({ agent }) =>
    `${agent} läuft außerhalb der Sandbox. Im Planmodus wird abgelehnt, was der Agent ändern möchte; was er ohne Rückfrage tut, lässt sich nicht verhindern.`,
  agent_plan_unsaved: ({ agent, why }) => `Der Plan von ${agent} wurde nicht gespeichert: ${why}`,
  agent_plan_without_steps: ({ agent }) =>
    `Der Plan von ${agent} hat keine Schritte und kann deshalb nicht gestartet werden. Ergänze sie im Plan als Aufgabenliste (- [ ] …).`,
  agent_unconfined: ({ agent, why }) => `${agent} läuft außerhalb der Sandbox, mit den Rechten des Dienstes: ${why}.`,
  agent_without_servers: ({ agent, servers }) => `${agent} bekommt diese MCP-Server nicht: ${servers}.`,
  bits_taken: ({ files }) =>
    `Diese Programme wären mit den Rechten des Dienstes gelaufen, egal wer sie startet. Ihre Setuid- und Setgid-Bits wurden entfernt: ${files}.`,
  call_refused: ({ call, why }) => `Abgelehnt: ${call}. ${why}`,
  changes_stay: ({ why }) => `Die Änderungen dieses Durchgangs am Arbeitsordner lassen sich nicht rückgängig machen: ${why}`,
  git_planted: ({ files }) =>
    `Ein Befehl in der Sandbox hat etwas hinterlassen, das Git außerhalb ausführen oder befolgen würde: ${files}. Vor dem nächsten Befehl außerhalb der Sandbox wirst du gefragt, egal was schon erlaubt ist.`,
  git_planted_by: ({ agent, files }) =>
    `${agent} hat etwas hinterlassen, das Git außerhalb der Sandbox ausführen oder befolgen würde: ${files}. Vor dem nächsten Befehl außerhalb der Sandbox wirst du gefragt, egal was schon erlaubt ist.`,
  git_undone: ({ files }) =>
    `Ein Befehl in der Sandbox hat geändert, was Git ausführt oder befolgt. Das wurde rückgängig gemacht: ${files}.`,
  git_undone_by: ({ agent, files }) => `${agent} hat geändert, was Git ausführt oder befolgt. Das wurde rückgängig gemacht: ${files}.`,
  image_undescribed: ({ model, why }) => `Ein Bild konnte für ${model} nicht beschrieben werden: ${why}`,
  image_unseen: ({ model }) => `${model} kann keine Bilder sehen, und es ist kein Modell eingerichtet, das sie beschreibt.`,
  folder_rules: ({ path }) => `Die Regeln in ${path} gelten für Dateien unterhalb ihres Ordners.`,
  folder_rules_unaccepted: ({ path }) =>
    `Die Regeln in ${path} werden nicht befolgt: Sie wurden ohne Rückfrage geändert. Um sie anzunehmen, öffne ein Gespräch in diesem Ordner.`,
  instructions_changed: ({ files }) =>
    `Anweisungen für Agenten wurden ohne Rückfrage geändert: ${files}. Die des Arbeitsordners gelten erst, wenn du sie angenommen hast.`,
  mcp_unanswered: ({ server, why }) => `Der MCP-Server „${server}“ hat vom Modell keine Antwort bekommen: ${why}`,
  page_unextracted: ({ why }) =>
    `Das Wesentliche einer Webseite ließ sich nicht herauslesen, deshalb bekommt das Modell die ganze Seite: ${why}`,
  recall_unsummed: ({ why }) =>
    `Funde aus früheren Chats ließen sich nicht zusammenfassen, deshalb bekommt das Modell sie unverändert: ${why}`,
  terminal_wrote: ({ program }) =>
    `${program} hat während dieses Durchgangs in diesen Chat geschrieben. Das steht nach der Antwort; beide wussten nichts voneinander.`
}
