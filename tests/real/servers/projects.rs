//! The same little shop in four languages. `$ROOT` in a file is the folder that it stands in.

pub(crate) struct Project {
    pub(crate) files: &'static [(&'static str, &'static str)],
}

pub(crate) const PYTHON: Project = Project {
    files: &[
        ("pyproject.toml", "[project]\nname = \"p\"\nversion = \"1\"\n"),
        ("shop/__init__.py", ""),
        (
            "shop/price.py",
            "class Price:\n    def total(self, count: int) -> int:\n        return count * 2\n\n\n\
             def discount(price: Price) -> int:\n    return price.total(1)\n",
        ),
        (
            "shop/cart.py",
            "from shop.price import Price, discount\n\n\ndef sum_up() -> int:\n    return discount(Price()) + \
             Price().total(2)\n",
        ),
        (
            "shop/special.py",
            "from shop.price import Price\n\n\nclass Special(Price):\n    def total(self, count: int) -> int:\n        \
             return count\n",
        ),
        (
            "main.py",
            "from shop import cart\nfrom shop.price import discount as cheap\n\nprint(\"discount\", cheap, \
             cart.sum_up())\n",
        ),
    ],
};

pub(crate) const TYPESCRIPT: Project = Project {
    files: &[
        ("package.json", "{}\n"),
        (
            "tsconfig.json",
            "{\"compilerOptions\": {\"strict\": true, \"module\": \"nodenext\"}, \"include\": [\"src\"]}\n",
        ),
        (
            "src/price.ts",
            "export interface Priced { total(count: number): number }\nexport class Price implements Priced {\n  \
             total(count: number) { return count * 2 }\n}\nexport function discount(price: Priced): number {\n  \
             return price.total(1)\n}\n",
        ),
        (
            "src/cart.ts",
            "import { Price, discount } from './price.js'\nconst é = '😀'; export const sum = discount(new Price()) + \
             é.length\n",
        ),
        (
            "src/main.ts",
            "import { sum } from './cart.js'\nimport { discount as cheap } from './price.js'\nconsole.log('discount', \
             sum, cheap)\n",
        ),
    ],
};

pub(crate) const CPP: Project = Project {
    files: &[
        (
            "compile_commands.json",
            "[{\"directory\": \"$ROOT\", \"file\": \"shop.cc\", \"arguments\": [\"clang++\", \"-c\", \"shop.cc\"]},\n \
             {\"directory\": \"$ROOT\", \"file\": \"main.cc\", \"arguments\": [\"clang++\", \"-c\", \"main.cc\"]}]\n",
        ),
        (
            "shop.h",
            "#pragma once\nstruct Price { virtual int total(int count); };\nstruct Special : Price { int total(int \
             count) override; };\nint discount(Price price);\n",
        ),
        (
            "shop.cc",
            "#include \"shop.h\"\nint Price::total(int count) { return count * 2; }\nint Special::total(int count) { \
             return count; }\nint discount(Price price) { return price.total(1); }\n",
        ),
        ("main.cc", "#include \"shop.h\"\nint main() { return discount(Price()); }\n"),
        (".gitignore", ".cache/\n"),
    ],
};

pub(crate) const RUST: Project = Project {
    files: &[
        ("Cargo.toml", "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n"),
        // What it leaves tells that it ran.
        (
            "build.rs",
            "fn main() {\n    std::fs::write(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/ran\"), \"\").unwrap();\n}\n",
        ),
        (
            "src/price.rs",
            "pub trait Priced {\n    fn total(&self, count: u32) -> u32;\n}\npub struct Price;\nimpl Priced for Price \
             {\n    fn total(&self, count: u32) -> u32 {\n        count * 2\n    }\n}\npub fn discount(price: &Price) -> \
             u32 {\n    price.total(1)\n}\n",
        ),
        // A reference within a closure is found only by who knows the standard library's source.
        (
            "src/main.rs",
            "mod price;\nuse price::{discount, Price};\nfn main() {\n    let all = [1].iter().map(|_| \
             discount(&Price)).sum::<u32>();\n    let é = \"😀\"; std::process::exit((discount(&Price) + all) as i32 + \
             é.len() as i32);\n}\n",
        ),
        (".gitignore", "target/\nran\nCargo.lock\n"),
    ],
};
