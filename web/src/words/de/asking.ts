import { type Words } from '../en/index.js'

export const asking: Words['asking'] = {
  asks: (action) => `${action}?`,
  title: {
    create: (file) => `${file} anlegen`,
    edit: (file) => `${file} bearbeiten`,
    write: (file) => `${file} schreiben`,
    createTask: (name) => `Die Aufgabe „${name}“ anlegen`,
    editTask: (name) => `Die Aufgabe „${name}“ ändern`,
    pauseTask: (name) => `Die Aufgabe „${name}“ pausieren`,
    resumeTask: (name) => `Die Aufgabe „${name}“ fortsetzen`,
    deleteTask: (name) => `Die Aufgabe „${name}“ löschen`,
    command: 'Diesen Befehl ausführen',
    request: (method, host) => method === 'GET' ? `Eine Seite von ${host} laden` : `Eine ${method}-Anfrage an ${host} senden`,
    mcp: (tool, server) => `${tool} von ${server} verwenden`,
    sampling: (server) => `${server} das Modell fragen lassen`,
    instructions: 'Den geänderten Anweisungen folgen',
    budget: 'Über das Budget hinaus weitermachen',
    memory: 'Das Gedächtnis ändern',
    skills: 'Diesen Skill speichern',
    schedules: 'Die Aufgaben ändern',
    readOutside: 'Außerhalb des Arbeitsordners lesen',
    readProtected: 'Geschützte Dateien lesen',
    other: 'Das erlauben'
  },
  late: 'Das wurde schon anderswo beantwortet.'
}
