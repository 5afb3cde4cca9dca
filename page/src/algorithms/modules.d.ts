// What documents.js makes of the documents of the project. SPDX-License-Identifier: Apache-2.0
declare module 'virtual:glossary' {
    const glossary: import('./documents').Glossary;
    export default glossary;
}
declare module 'virtual:algorithms' {
    const list: import('./documents').AlgorithmEntry[];
    export default list;
}
declare module 'virtual:papers/*' {
    const paper: import('./documents').Paper;
    export default paper;
}
declare module '*.md' {
    const page: import('./documents').AlgorithmPage;
    export default page;
}
