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
  tooDeep: 'Trop long ou trop imbriqué pour être mis en forme : affiché tel quel.',
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
    blocked: (count) => `${count === 1 ? 'Un élément' : `${count} éléments`} du réseau ${count === 1 ? 'n’a pas été chargé' : 'n’ont pas été chargés'} : les pages des réponses n’ont pas de réseau.`
  }
}
