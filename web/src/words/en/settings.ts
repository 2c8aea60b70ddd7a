export const settings = {
}
