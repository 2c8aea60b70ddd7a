import { type Words } from '../en/index.js'

export const markdown: Words['markdown'] = {
  code: 'Code',
  codeIn: (language) => `Code : ${language}`,
  download: 'Télécharger',
  wrap: 'Couper les lignes',
  table: 'Tableau',
  footnotes: 'Notes de bas de page',
  footnote: (label) => `Note ${label}`,
  backToText: 'Revenir au texte',
  done: 'Fait',
  notDone: 'À faire',
  image: (name) => `Image : ${name}`,
  artifact: {
    drawn: { diagram: 'Diagramme', picture: 'Image', page: 'Page' },
    asCode: 'Code',
    shownAs: 'Affichage',
    open: 'Ouvrir en grand',
    stop: 'Arrêter',
    run: 'Afficher la page',
    versions: 'Versions',
    version: (at, of) => `Version ${at} sur ${of}`,
    drawing: 'Dessin en cours…',
    noDiagram: 'Ce diagramme ne peut pas être dessiné. Voici son code.',
    noPicture: 'Cette image ne peut pas être affichée. Voici son code.',
    notLoaded: 'Le module qui dessine les diagrammes n’a pas pu être chargé. Voici le code.',
    tookTooLong: 'La dernière fois, le dessin ne s’est pas terminé ; il n’est donc pas relancé tout seul.',
    drawAnyway: 'Dessiner quand même',
    stuck: 'Cette page ne répond pas.',
    blocked: (count) =>
      `${count === 1 ? '1 requête réseau de cette page a été bloquée' : `${count} requêtes réseau de cette page ont été bloquées`} : les pages des réponses n’ont pas de réseau.`
  },
  view: {
    of: (tool, server) => `${tool} de ${server}`,
    gone: (server) => `La vue de cet appel de ${server} n’est plus conservée. Son résultat figure dans les étapes ci-dessus.`,
    reaches: 'Cette vue veut se connecter à ces adresses :',
    show: 'Afficher la vue',
    close: 'Fermer la vue',
    closed: 'La vue est fermée.',
    held: 'La dernière fois, cette vue n’a pas fini de démarrer ; elle ne démarre donc pas toute seule.',
    asksTool: (tool, server) => `Utiliser ${tool} de ${server} ?`,
    asksLink: (server) => `Ouvrir une page pour ${server} ?`,
    asksResource: (server) => `Lire depuis ${server} ?`,
    full: 'Plein écran',
    leaveFull: 'Quitter le plein écran',
    calls: (n) => n === 1 ? 'La vue a fait 1 appel' : `La vue a fait ${n} appels`,
    states: {
      running: 'En cours',
      failed: 'Échec',
      refused: 'Non exécuté',
      lost: 'Le service s’est arrêté pendant cet appel. On ne sait pas s’il a eu un effet.'
    },
    fromView: 'C’est la vue qui le demande, pas l’agent.',
    once: 'Autoriser une fois',
    inChat: 'Pour cette discussion',
    deny: 'Refuser',
    openLink: 'Ouvrir'
  }
}
