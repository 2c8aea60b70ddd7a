export const profiles = {
}
